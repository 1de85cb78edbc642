import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { Form } from '../vault-screens/form.tsx';
import { type AccountApi, AccountFailure, type Enrolment, ifWrong, isEnded } from './account-api.ts';
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
  | { readonly kind: 'confirm'; readonly code: string | undefined }
  | { readonly kind: 'first' | 'second'; readonly enrolment: Enrolment };

/** The enrolment of another phone: its name, the confirmation by the first one, and the two codes of the roll-out. */
export function EnrolScreens({ api, onDone, onEnded }: EnrolProps): JSX.Element {
  const [description, setDescription] = useState('');
  const [step, setStep] = useState<Step>({ kind: 'name' });
  const { run, isBusy, notice } = useWork(onEnded);
  const fail = (error: unknown): void => {
    setStep({ kind: 'name' });
    run(async () => {
      // The session goes on where only what was asked has ended: declined on the phone, or too late.
      await api.account();
      throw isEnded(error) ? new AccountFailure('unconfirmed') : error;
    });
  };
  switch (step.kind) {
    case 'name':
      return (
        <NameScreen
          name={description}
          isBusy={isBusy}
          notice={notice}
          onName={setDescription}
          onCancel={() => {
            run(() => onDone());
          }}
          onNext={() => {
            run(async () => {
              setStep({ kind: 'confirm', code: (await api.askToEnrol()).data });
            });
          }}
        />
      );
    case 'confirm':
      return (
        <ConfirmScreen
          code={step.code}
          onEnrol={(response) => api.enrol(description, response)}
          onEnrolled={(enrolment) => {
            setStep({ kind: 'first', enrolment });
          }}
          onFailure={fail}
          onCancel={() => {
            run(() => onDone());
          }}
        />
      );
    case 'first':
    case 'second':
      return (
        <CodeScreens
          enrolment={step.enrolment}
          isFirst={step.kind === 'first'}
          onNext={() => {
            setStep({ kind: 'second', enrolment: step.enrolment });
          }}
          api={api}
          onDone={onDone}
          onEnded={onEnded}
          onFailure={fail}
        />
      );
  }
}

interface NameProps {
  readonly name: string;
  readonly isBusy: boolean;
  readonly notice: JSX.Element | undefined;
  readonly onName: (name: string) => void;
  readonly onCancel: () => void;
  readonly onNext: () => void;
}

function NameScreen({ name, isBusy, notice, onName, onCancel, onNext }: NameProps): JSX.Element {
  const texts = useTexts(accountTexts);
  return (
    <Screen title={texts.enrolTitle}>
      <p class="screen-text">{texts.enrolText}</p>
      <Notice kind="info">{texts.enrolNote}</Notice>
      {notice}
      <Form onSubmit={onNext}>
        <Field label={texts.description} value={name} onValue={onName} />
        <Button kind="primary" type="submit" busy={isBusy}>
          {texts.next}
        </Button>
        <Button onPress={onCancel}>{texts.cancel}</Button>
      </Form>
    </Screen>
  );
}

interface ConfirmProps {
  readonly code: string | undefined;
  /** @returns undefined while the phone has not confirmed */
  readonly onEnrol: (response?: string) => Promise<Enrolment | undefined>;
  readonly onEnrolled: (enrolment: Enrolment) => void;
  readonly onFailure: (error: unknown) => void;
  readonly onCancel: () => void;
}

function ConfirmScreen({ code, onEnrol, onEnrolled, onFailure, onCancel }: ConfirmProps): JSX.Element {
  const texts = useTexts(accountTexts);
  return (
    <Screen title={texts.enrolConfirmTitle}>
      <p class="screen-text">{texts.enrolText}</p>
      <ChallengePanel
        code={code}
        onAnswer={async (response) => {
          const enrolment = await ifWrong(onEnrol(response), undefined);
          if (enrolment !== undefined) {
            onEnrolled(enrolment);
          }
          return enrolment !== undefined;
        }}
        onFailure={onFailure}
      />
      <Button onPress={onCancel}>{texts.cancel}</Button>
    </Screen>
  );
}

interface CodeProps extends EnrolProps {
  readonly enrolment: Enrolment;
  readonly isFirst: boolean;
  readonly onNext: () => void;
  readonly onFailure: (error: unknown) => void;
}

function CodeScreens({
  enrolment,
  isFirst,
  onNext,
  api,
  onDone,
  onEnded,
  onFailure,
}: CodeProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const { run, isBusy, notice } = useWork(onEnded);
  const cancel = (): void => {
    run(async () => {
      await api.cancelEnrolment();
      await onDone();
    });
  };
  if (isFirst) {
    return (
      <Screen title={texts.firstTitle}>
        <p class="screen-text">{texts.firstText}</p>
        <QrCode code={enrolment.init} label={texts.firstCode} />
        {notice}
        <Button kind="primary" onPress={onNext}>
          {texts.next}
        </Button>
        <Button busy={isBusy} onPress={cancel}>
          {texts.cancel}
        </Button>
      </Screen>
    );
  }
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
        onAnswer={async (response) => {
          const isReady = await completed(api, enrolment, response);
          if (isReady) {
            await onDone(texts.added);
          }
          return isReady;
        }}
        onFailure={onFailure}
      />
      {notice}
      <Button busy={isBusy} onPress={cancel}>
        {texts.cancel}
      </Button>
    </Screen>
  );
}

/**
 * @returns true if the new phone is ready: its app has sent the first response, or it was typed
 * @throws AccountFailure 'unfinished' where no response is taken any more
 */
async function completed(
  api: AccountApi,
  { serial, transactionid }: Enrolment,
  response?: string,
): Promise<boolean> {
  if (response !== undefined && (await api.complete(transactionid, response))) {
    return true;
  }
  const { tokens } = await api.account();
  const state = tokens.find((token) => token.serial === serial)?.state;
  if (state !== 'rollout' && state !== 'active') {
    throw new AccountFailure('unfinished');
  }
  return state === 'active';
}
