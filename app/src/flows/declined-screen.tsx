import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import { isDecline } from '../vault/vault.ts';
import { type Decline, declineChallenge, type DeclineOutcome } from './answer-challenge.ts';
import { DoneButton } from './answer-screens.tsx';
import { flowTexts } from './flow-texts.ts';
import type { ShownChallenge } from './open-code.ts';
import { sendResponse } from './send-response.ts';

interface DeclinedProps {
  readonly shown: ShownChallenge;
  readonly decline: Decline;
  /** That of the first attempt to tell the server. */
  readonly first: DeclineOutcome;
}

/** After a challenge was declined: whether the server knows, and another attempt to tell it. */
export function DeclinedScreen({ shown, decline, first }: DeclinedProps): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(flowTexts);
  const [outcome, setOutcome] = useState(first);
  const [isSending, setSending] = useState(false);
  const { kind } = decline;
  const isKnown = outcome === 'accepted';
  const sendAgain = (): void => {
    setSending(true);
    void declineChallenge(vault, shown, decline, sendResponse).then((answered) => {
      setOutcome(answered);
      setSending(false);
    });
  };
  return (
    <Screen title={texts.declinedTitles[isKnown ? kind : outcome === 'refused' ? outcome : 'unknown']}>
      <OutcomeNotice shown={shown} outcome={outcome} />
      {endsRollOut(shown, outcome) && (
        <p class="screen-text">{texts.rollOutUndone(shown.challenge.token.serial)}</p>
      )}
      {(kind === 'reported' || !isKnown) && <p class="screen-text">{texts.declinedAdvice[kind]}</p>}
      <div class="actions">
        {shown.destination.kind === 'sent' && !isKnown && (
          <Button busy={isSending} onPress={sendAgain}>
            {isSending ? texts.sending : texts.sendAgain}
          </Button>
        )}
        <DoneButton />
      </div>
    </Screen>
  );
}

interface OutcomeProps {
  readonly shown: ShownChallenge;
  readonly outcome: DeclineOutcome;
}

function OutcomeNotice({ shown: { destination, earlier }, outcome }: OutcomeProps): JSX.Element {
  const texts = useTexts(flowTexts);
  const otherwise = destination.kind === 'sent' ? 'warning' : 'info';
  return (
    <Notice kind={outcome === 'accepted' ? 'success' : otherwise}>
      <p>{texts.declineOutcomes[outcome](destination.kind === 'sent' ? destination.host : '')}</p>
      {outcome !== 'accepted' && outcome !== 'refused' && (
        <p>
          {earlier === undefined || isDecline(earlier.outcome) ? texts.unconfirmed : texts.answeredBefore}
        </p>
      )}
    </Notice>
  );
}

/** @returns true if the server has ended a roll-out, or may have, without an answer that the app could read */
function endsRollOut({ challenge }: ShownChallenge, outcome: DeclineOutcome): boolean {
  return challenge.kind === 'nonce' && ['accepted', 'no-answer', 'no-verdict'].includes(outcome);
}
