import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import type { Answer, DigitsReason } from './answer-challenge.ts';
import { BackupCause } from './backup-cause.tsx';
import { useClockText } from './challenge-screen.tsx';
import { flowTexts } from './flow-texts.ts';
import type { ShownChallenge } from './open-code.ts';

interface AnsweredProps {
  readonly shown: ShownChallenge;
  readonly answer: Answer;
  readonly onRetry: () => void;
}

/** The outcome of a confirmed challenge. */
export function AnsweredScreen({ shown, answer, onRetry }: AnsweredProps): JSX.Element {
  switch (answer.outcome) {
    case 'accepted':
      return <AcceptedScreen shown={shown} />;
    case 'refused':
      return (
        <NotAcceptedScreen
          shown={shown}
          answer={answer}
          onRetry={shown.challenge.needsPin ? onRetry : undefined}
        />
      );
    default:
      return <DigitsScreen answer={answer} why={answer.outcome} />;
  }
}

function AcceptedScreen({ shown: { challenge, destination } }: { shown: ShownChallenge }): JSX.Element {
  const texts = useTexts(flowTexts);
  return (
    <Screen title={texts.acceptedTitle}>
      <Notice kind="success">
        <div class="outcome outcome-accepted">
          <Icon name="accepted" />
          <strong>{destination.kind === 'sent' && texts.accepted(destination.host)}</strong>
        </div>
      </Notice>
      <p class="card">{challenge.message}</p>
      <DoneButton />
    </Screen>
  );
}

/** Of a suite with the time, whose responses a wrong clock spoils. */
function ClockCause({ shown }: { shown: ShownChallenge }): JSX.Element | null {
  const texts = useTexts(flowTexts);
  const clock = useClockText(shown);
  return parseOcraSuite(shown.challenge.token.suite).timeStep === undefined ? null : (
    <p>{clock ?? texts.clockCause}</p>
  );
}

function NotAcceptedScreen({
  shown,
  answer,
  onRetry,
}: {
  shown: ShownChallenge;
  answer: Answer;
  onRetry: (() => void) | undefined;
}): JSX.Element {
  const texts = useTexts(flowTexts);
  return (
    <Screen title={texts.notAcceptedTitle}>
      <Notice kind="error">
        <div class="outcome outcome-refused">
          <Icon name="refused" />
          <p>{texts.notAccepted}</p>
        </div>
        <ClockCause shown={shown} />
      </Notice>
      {answer.restored?.isAhead === true && <Digits response={answer.response} />}
      <BackupCause answer={answer} />
      {onRetry !== undefined && (
        <Button kind="primary" onPress={onRetry}>
          {texts.retry}
        </Button>
      )}
      <DoneButton />
    </Screen>
  );
}

function Digits({ response }: { response: string }): JSX.Element {
  const texts = useTexts(flowTexts);
  return (
    <div class="digits" role="group" aria-label={`${texts.digitsLabel}: ${Array.from(response).join(' ')}`}>
      {groupsOf(response).map((group, place) => (
        <span key={place}>{group}</span>
      ))}
    </div>
  );
}

function DigitsScreen({ answer, why }: { answer: Answer; why: DigitsReason }): JSX.Element {
  const { response } = answer;
  const texts = useTexts(flowTexts);
  const [copied, setCopied] = useState<boolean>();
  const copy = (): void => {
    navigator.clipboard.writeText(response).then(
      () => {
        setCopied(true);
      },
      () => {
        setCopied(false);
      },
    );
  };
  return (
    <Screen title={texts.digitsTitle}>
      <Digits response={response} />
      <Notice kind={why === 'no-address' ? 'info' : 'warning'}>{texts.digitsReasons[why]}</Notice>
      {why === 'out-of-step' && <BackupCause answer={answer} />}
      <div class="actions">
        <Button onPress={copy}>
          <Icon name="copy" />
          {texts.copy}
        </Button>
        <p role="status">
          {copied === true && texts.copied}
          {copied === false && texts.copyFailed}
        </p>
        <DoneButton />
      </div>
    </Screen>
  );
}

/** @returns groups of three or four digits, which are easier to carry over: `123 456`, `1234 5678` */
function groupsOf(digits: string): readonly string[] {
  const size = digits.length % 3 === 0 ? 3 : 4;
  return Array.from({ length: Math.ceil(digits.length / size) }, (_, place) =>
    digits.slice(size * place, size * (place + 1)),
  );
}

/** The way to the tokens. */
export function DoneButton(): JSX.Element {
  const { navigation } = useServices();
  const texts = useTexts(flowTexts);
  return (
    <Button
      kind="primary"
      onPress={() => {
        navigation.replace({ name: 'tokens' });
      }}
    >
      {texts.done}
    </Button>
  );
}
