import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ReadyToken } from '../../../src/device/device-token.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import type { RestoredState } from '../vault/vault.ts';
import { flowTexts } from './flow-texts.ts';
import { mayBeSent, moveAhead } from './restored-token.ts';

/** The likely cause of the refusals of a token that a backup brought, and the way out. */
export function BackupCause({
  token,
  restored,
}: {
  token: ReadyToken;
  restored: RestoredState;
}): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(flowTexts);
  const [outcome, setOutcome] = useState<'moved' | 'settled' | 'failed'>();
  const act = (work: Promise<void>, done: 'moved' | 'settled'): void => {
    work.then(
      () => {
        setOutcome(done);
      },
      () => {
        setOutcome('failed');
      },
    );
  };
  if (outcome === 'moved' || outcome === 'settled') {
    return <Notice kind="info">{texts.restored[outcome]}</Notice>;
  }
  return (
    <>
      <p class="card">
        {texts.restored[!restored.isAhead ? 'cause' : mayBeSent(restored) ? 'first' : 'both']}
      </p>
      {outcome === 'failed' && <Notice kind="error">{texts.restored.failed}</Notice>}
      {!restored.isAhead && (
        <Button
          onPress={() => {
            act(moveAhead(vault, token), 'moved');
          }}
        >
          {texts.restored.move}
        </Button>
      )}
      {!mayBeSent(restored) && (
        <Button
          onPress={() => {
            act(vault.noteRestored(token.serial, undefined), 'settled');
          }}
        >
          {texts.restored.settle}
        </Button>
      )}
    </>
  );
}
