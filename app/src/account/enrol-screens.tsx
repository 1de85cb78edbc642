import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { Form } from '../vault-screens/form.tsx';
import { type AccountApi, type Enrolment, ifWrong } from './account-api.ts';
import { accountTexts } from './account-texts.ts';
import { ChallengePanel, QrCode } from './challenge-panel.tsx';
import { useWork } from './work.tsx';

interface EnrolProps {
  readonly api: AccountApi;
  /** Shows the tokens, and says what was done. */
  readonly onDone: (said?: string) => Promise<void>;
  readonly onEnded: () => void;
}

type Step =
  | { readonly kind: 'name' }
  | { readonly kind: 'confirm'; readonly code: string }
  | { readonly kind: 'first' | 'second'; readonly enrolment: Enrolment };

/** The enrolment of another phone: its name, the confirmation by the first one, and the two codes of the roll-out. */
export function EnrolScreens({ api, onDone, onEnded }: EnrolProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const [description, setDescription] = useState('');
  const [step, setStep] = useState<Step>({ kind: 'name' });
  const { run, fail, isBusy, notice } = useWork(onEnded);
  switch (step.kind) {
    case 'name':
      return (
        <Screen title={texts.enrolTitle}>
          <p class="screen-text">{texts.enrolText}</p>
          {notice}
          <Form
            onSubmit={() => {
              run(async () => {
                setStep({ kind: 'confirm', code: (await api.askToEnrol()).data });
              });
            }}
          >
            <Field label={texts.description} value={description} onValue={setDescription} />
            <Button kind="primary" type="submit" busy={isBusy}>
              {texts.next}
            </Button>
            <Button onPress={() => void onDone()}>{texts.cancel}</Button>
          </Form>
        </Screen>
      );
    case 'confirm':
      return (
        <Screen title={texts.enrolConfirmTitle}>
          <p class="screen-text">{texts.enrolText}</p>
          <ChallengePanel
            code={step.code}
            onAnswer={async (response) => {
              const enrolment = await ifWrong(api.enrol(description, response), undefined);
              if (enrolment !== undefined) {
                setStep({ kind: 'first', enrolment });
              }
              return enrolment !== undefined;
            }}
            onFailure={(error) => {
              setStep({ kind: 'name' });
              fail(error);
            }}
          />
        </Screen>
      );
    case 'first':
      return (
        <Screen title={texts.firstTitle}>
          <p class="screen-text">{texts.firstText}</p>
          <QrCode code={step.enrolment.init} label={texts.firstCode} />
          <Button
            kind="primary"
            onPress={() => {
              setStep({ kind: 'second', enrolment: step.enrolment });
            }}
          >
            {texts.next}
          </Button>
        </Screen>
      );
    case 'second':
      return (
        <SecondCode
          enrolment={step.enrolment}
          onAnswer={async (response) => {
            const isReady = await completed(api, step.enrolment, response);
            if (isReady) {
              await onDone(texts.added);
            }
            return isReady;
          }}
          onFailure={onEnded}
        />
      );
  }
}

interface SecondCodeProps {
  readonly enrolment: Enrolment;
  readonly onAnswer: (response?: string) => Promise<boolean>;
  readonly onFailure: () => void;
}

function SecondCode({ enrolment, onAnswer, onFailure }: SecondCodeProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const groups = enrolment.activation_code.replace(/.{4}(?=.)/g, '$& ');
  return (
    <Screen title={texts.secondTitle}>
      <p class="screen-text">{texts.secondText}</p>
      <p>
        {texts.activationCode}: <strong>{groups}</strong>
      </p>
      <ChallengePanel
        code={enrolment.nonce}
        label={texts.secondCode}
        onAnswer={onAnswer}
        onFailure={onFailure}
      />
    </Screen>
  );
}

/** @returns true if the new phone is ready: its app has sent the first response, or it was typed */
async function completed(
  api: AccountApi,
  { serial, transactionid }: Enrolment,
  response?: string,
): Promise<boolean> {
  if (response !== undefined) {
    return api.complete(transactionid, response);
  }
  const { tokens } = await api.account();
  return tokens.some((token) => token.serial === serial && token.state === 'active');
}
