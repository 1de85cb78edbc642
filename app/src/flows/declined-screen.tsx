import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { DeclineKind } from '../../../src/ocra/decline.ts';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { type DeclineOutcome, tellDecline } from './answer-challenge.ts';
import { DoneButton } from './answer-screens.tsx';
import { flowTexts } from './flow-texts.ts';
import type { ShownChallenge } from './open-code.ts';
import { sendResponse } from './send-response.ts';

interface DeclinedProps {
  readonly shown: ShownChallenge;
  readonly kind: DeclineKind;
  /** That of the first attempt to tell the server. */
  readonly first: DeclineOutcome;
}

/** After a challenge was declined: whether the server knows, and another attempt to tell it. */
export function DeclinedScreen({ shown, kind, first }: DeclinedProps): JSX.Element {
  const texts = useTexts(flowTexts);
  const [outcome, setOutcome] = useState(first);
  const [isSending, setSending] = useState(false);
  const isKnown = outcome === 'accepted';
  const isUntold = !isKnown && outcome !== 'refused' && outcome !== 'not-sent';
  const sendAgain = (): void => {
    setSending(true);
    void tellDecline(shown, kind, sendResponse).then((answered) => {
      setOutcome(answered);
      setSending(false);
    });
  };
  return (
    <Screen title={texts.declinedTitle}>
      <Notice kind={isKnown ? 'success' : outcome === 'not-sent' ? 'info' : 'warning'}>
        {texts.declineOutcomes[outcome](shown.destination.kind === 'sent' ? shown.destination.host : '')}
      </Notice>
      {(kind === 'reported' || !isKnown) && <p class="screen-text">{texts.declinedAdvice[kind]}</p>}
      <div class="actions">
        {isUntold && (
          <Button busy={isSending} onPress={sendAgain}>
            {isSending ? texts.sending : texts.sendAgain}
          </Button>
        )}
        <DoneButton />
      </div>
    </Screen>
  );
}
