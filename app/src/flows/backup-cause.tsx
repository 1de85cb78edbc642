import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import { type Answer, MOST_REFUSALS, moveAhead } from './answer-challenge.ts';
import { flowTexts } from './flow-texts.ts';

/** The likely cause of the refusals of a token that a backup brought, and the way out. */
export function BackupCause({ answer }: { answer: Answer }): JSX.Element | null {
  const { vault } = useServices();
  const texts = useTexts(flowTexts).restored;
  const [outcome, setOutcome] = useState<'moved' | 'settled' | 'failed'>();
  const { token, restored } = answer;
  if (restored === undefined) {
    return null;
  }
  if (outcome !== undefined) {
    return <Notice kind={outcome === 'failed' ? 'error' : 'info'}>{texts[outcome]}</Notice>;
  }
  const isNearLock = restored.refusals >= MOST_REFUSALS;
  const wayOut = (
    name: 'move' | 'settle',
    done: 'moved' | 'settled',
    act: () => Promise<void>,
  ): JSX.Element => (
    <Button
      onPress={() => {
        act().then(
          () => {
            setOutcome(done);
          },
          () => {
            setOutcome('failed');
          },
        );
      }}
    >
      {texts[name]}
    </Button>
  );
  return (
    <>
      <p class="card">{texts[!restored.isAhead ? 'cause' : isNearLock ? 'both' : 'first']}</p>
      {!restored.isAhead && wayOut('move', 'moved', () => moveAhead(vault, answer))}
      {isNearLock && wayOut('settle', 'settled', () => vault.noteRestored(token.serial, undefined))}
    </>
  );
}
