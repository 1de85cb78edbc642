import type { JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { inspectDisplayText } from '../../../src/device/display-text.ts';
import type { DeclineKind } from '../../../src/ocra/decline.ts';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { historyTexts } from '../history/history-texts.ts';
import { type Language, LanguageContext, localeOf, useTexts } from '../language/language.ts';
import { timeText } from '../language/time-text.ts';
import { IssuerLine } from '../tokens/issuer-line.tsx';
import { DisplayData } from './display-data.tsx';
import { flowTexts } from './flow-texts.ts';
import type { ShownChallenge } from './open-code.ts';
import { useReadingTime } from './reading-time.ts';
import { harmfulClockOffset } from './server-clock.ts';

/** Characters of a PIN that the server stores. */
const MAX_PIN_LENGTH = 255;

/** The means by which the user confirms. */
export interface Confirmation {
  readonly pin: string | undefined;
  readonly offsetSeconds: number | undefined;
}

/** The user's decision on a challenge. */
export type ChallengeAct = 'confirmed' | DeclineKind;

interface ChallengeProps {
  readonly shown: ShownChallenge;
  /** The decision that is being sent. */
  readonly sending: ChallengeAct | undefined;
  readonly onConfirm: (confirmation: Confirmation) => void;
  readonly onDecline: (kind: DeclineKind) => void;
}

/** The text to be confirmed. No response exists before the user has confirmed (what you see is what you sign). */
export function ChallengeScreen({ shown, sending, onConfirm, onDecline }: ChallengeProps): JSX.Element {
  const texts = useTexts(flowTexts);
  const [pin, setPin] = useState('');
  const [isPinMissing, setPinMissing] = useState(false);
  const offsetSeconds = useClockOffset(shown);
  const isReadable = useReadingTime();
  const { message, needsPin } = shown.challenge;
  const text = inspectDisplayText(message);
  const isRefused = text.verdict === 'refused';
  const submit = (event: Event): void => {
    event.preventDefault();
    if (needsPin && pin === '') {
      setPinMissing(true);
    } else if (sending === undefined) {
      onConfirm({ pin: needsPin ? pin : undefined, offsetSeconds });
    }
  };
  return (
    <Screen title={isRefused ? texts.refusedTitle : texts.confirmTitle}>
      <div class="confirmation">
        <div class="confirmation-part">
          <DisplayData text={text} />
        </div>
        <div class="confirmation-part">
          {!isRefused && <Circumstances shown={shown} offsetSeconds={offsetSeconds} />}
          <form class="actions" onSubmit={submit}>
            {!isRefused && needsPin && (
              <Field
                label={texts.pin}
                type="password"
                hint={texts.pinHint}
                value={pin}
                maxLength={MAX_PIN_LENGTH}
                error={isPinMissing ? texts.pinMissing : undefined}
                onValue={(value) => {
                  setPin(value);
                  setPinMissing(false);
                }}
              />
            )}
            {!isRefused && (
              <Button
                kind="primary"
                type="submit"
                disabled={!isReadable || sending !== undefined}
                busy={sending === 'confirmed'}
              >
                {sending === 'confirmed' ? texts.sending : texts.confirm}
              </Button>
            )}
            <Declines sending={sending} onDecline={onDecline} />
          </form>
        </div>
      </div>
    </Screen>
  );
}

function Declines({ sending, onDecline }: Pick<ChallengeProps, 'sending' | 'onDecline'>): JSX.Element {
  const texts = useTexts(flowTexts);
  return (
    <>
      {(['declined', 'reported'] as const).map((kind) => (
        <Button
          key={kind}
          disabled={sending !== undefined}
          busy={sending === kind}
          onPress={() => {
            onDecline(kind);
          }}
        >
          {sending === kind ? texts.sending : texts.declines[kind]}
        </Button>
      ))}
    </>
  );
}

/** The destination of the answer, its token, and the warnings that the user reads before confirming. */
function Circumstances({
  shown: { challenge, destination, earlier, tokenName },
  offsetSeconds,
}: {
  shown: ShownChallenge;
  offsetSeconds: number | undefined;
}): JSX.Element {
  const texts = useTexts(flowTexts);
  const { outcomes } = useTexts(historyTexts);
  const language = useContext(LanguageContext);
  const { serial, issuer } = challenge.token;
  return (
    <>
      <p class="muted">{texts.confirmHint}</p>
      <dl class="facts">
        {issuer !== undefined && (
          <div>
            <dt>{texts.issuer}</dt>
            <dd>
              <IssuerLine issuer={issuer} />
            </dd>
          </div>
        )}
        {destination.kind === 'sent' && (
          <div>
            <dt>{texts.goesTo}</dt>
            <dd class="destination">
              <strong>{destination.host}</strong>
            </dd>
          </div>
        )}
        <div>
          <dt>{texts.token}</dt>
          <dd>{tokenName === '' || tokenName === serial ? serial : `${tokenName} (${serial})`}</dd>
        </div>
      </dl>
      {destination.kind === 'typed' && <Notice kind="info">{texts.typedElsewhere}</Notice>}
      {earlier !== undefined && (
        <Notice kind="warning">
          {texts.earlier(outcomes[earlier.outcome], timeText(language, earlier.at))}
        </Notice>
      )}
      {offsetSeconds !== undefined && (
        <Notice kind="warning">{texts.clock(minutesText(language, offsetSeconds), offsetSeconds > 0)}</Notice>
      )}
    </>
  );
}

function minutesText(language: Language, offsetSeconds: number): string {
  return new Intl.NumberFormat(localeOf(language), {
    style: 'unit',
    unit: 'minute',
    unitDisplay: 'long',
    maximumFractionDigits: 1,
  }).format(Math.abs(offsetSeconds) / 60);
}

/** @returns what the user is told of a clock that spoils responses, once that is known */
export function useClockText(shown: ShownChallenge): string | undefined {
  const texts = useTexts(flowTexts);
  const language = useContext(LanguageContext);
  const offset = useClockOffset(shown);
  return offset === undefined ? undefined : texts.clock(minutesText(language, offset), offset > 0);
}

/** The offset of the clock, asked for while the user reads. */
function useClockOffset(shown: ShownChallenge): number | undefined {
  const [offset, setOffset] = useState<number>();
  useEffect(() => {
    void harmfulClockOffset(shown).then(setOffset);
  }, [shown]);
  return offset;
}
