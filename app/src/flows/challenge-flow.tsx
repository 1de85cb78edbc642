import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useServices } from '../shell/services.ts';
import type { DeclineKind } from '../../../src/ocra/decline.ts';
import {
  type Answer,
  answerChallenge,
  type Decline,
  declineChallenge,
  type DeclineOutcome,
} from './answer-challenge.ts';
import { AnsweredScreen } from './answer-screens.tsx';
import { type ChallengeAct, ChallengeScreen, type Confirmation } from './challenge-screen.tsx';
import { DeclinedScreen } from './declined-screen.tsx';
import type { ShownChallenge } from './open-code.ts';
import { sendResponse } from './send-response.ts';

type State =
  | { readonly kind: 'asking'; readonly shown: ShownChallenge }
  | { readonly kind: 'sending'; readonly shown: ShownChallenge; readonly act: ChallengeAct }
  | { readonly kind: 'answered'; readonly answer: Answer; readonly shown: ShownChallenge }
  | {
      readonly kind: 'declined';
      readonly shown: ShownChallenge;
      readonly decline: Decline;
      readonly outcome: DeclineOutcome;
    };

/** A challenge from the question to the result. */
export function ChallengeFlow({
  first,
  onFault,
}: {
  first: ShownChallenge;
  onFault: (error: unknown) => void;
}): JSX.Element {
  const { vault } = useServices();
  const [state, setState] = useState<State>({ kind: 'asking', shown: first });
  const { shown } = state;
  if (state.kind === 'declined') {
    return <DeclinedScreen shown={shown} decline={state.decline} first={state.outcome} />;
  }
  if (state.kind === 'answered') {
    return (
      <AnsweredScreen
        shown={shown}
        answer={state.answer}
        onRetry={() => {
          const { token, restored } = state.answer;
          setState({
            kind: 'asking',
            shown: { ...shown, restored, challenge: { ...shown.challenge, token } },
          });
        }}
      />
    );
  }
  const confirm = (confirmation: Confirmation): void => {
    setState({ kind: 'sending', shown, act: 'confirmed' });
    answerChallenge(vault, shown, { now: new Date(), ...confirmation }, sendResponse).then((answer) => {
      setState({ kind: 'answered', answer, shown });
    }, onFault);
  };
  const decline = (kind: DeclineKind): void => {
    const made = { kind, at: new Date(), id: crypto.randomUUID() };
    setState({ kind: 'sending', shown, act: kind });
    declineChallenge(vault, shown, made, sendResponse).then((outcome) => {
      setState({ kind: 'declined', shown, decline: made, outcome });
    }, onFault);
  };
  return (
    <ChallengeScreen
      shown={shown}
      sending={state.kind === 'sending' ? state.act : undefined}
      onConfirm={confirm}
      onDecline={decline}
    />
  );
}
