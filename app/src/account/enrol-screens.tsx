import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { Form } from '../vault-screens/form.tsx';
import {
  type AccountApi,
  AccountFailure,
  type EnrolledType,
  type Enrolment,
  ifWrong,
  isEnded,
  type RollOut,
  type UnprovenApp,
  MAX_DESCRIPTION_LENGTH,
} from './account-api.ts';
import { accountTexts } from './account-texts.ts';
import { ChallengePanel, OpenInApp, QrCode, TimeLeft } from './challenge-panel.tsx';
import { useWork } from './work.tsx';

interface EnrolProps {
  readonly api: AccountApi;
  readonly type: EnrolledType;
  /** Shows the tokens, and says what was done. */
  readonly onDone: (said?: string) => Promise<void>;
  readonly onEnded: () => void;
}

type Step =
  | { readonly kind: 'name' }
  | { readonly kind: 'confirm'; readonly code: string | undefined }
  | { readonly kind: 'app'; readonly enrolment: UnprovenApp }
  | { readonly kind: 'first' | 'second'; readonly enrolment: RollOut };

/**
 * The enrolment of another phone: its name, the confirmation by the first one, and the two codes of the roll-out, or the
 * one of an authenticator app.
 */
export function EnrolScreens({ api, type, onDone, onEnded }: EnrolProps): JSX.Element {
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
  const leave = (): void => {
    run(() => onDone());
  };
  const shared = { api, onDone, onEnded, onFailure: fail };
  switch (step.kind) {
    case 'name':
      return (
        <NameScreen
          type={type}
          name={description}
          isBusy={isBusy}
          notice={notice}
          onName={setDescription}
          onCancel={leave}
          onNext={() => {
            run(async () => {
              setStep({ kind: 'confirm', code: (await api.askToEnrol(type)).data });
            });
          }}
        />
      );
    case 'confirm':
      return (
        <ConfirmScreen
          code={step.code}
          onEnrol={(response) => api.enrol(type, description, response)}
          onEnrolled={(enrolment) => {
            setStep('key_uri' in enrolment ? { kind: 'app', enrolment } : { kind: 'first', enrolment });
          }}
          onFailure={fail}
          onCancel={leave}
        />
      );
    case 'app':
      return <AppScreen enrolment={step.enrolment} {...shared} />;
    case 'first':
    case 'second':
      return (
        <CodeScreens
          enrolment={step.enrolment}
          isFirst={step.kind === 'first'}
          onNext={() => {
            setStep({ kind: 'second', enrolment: step.enrolment });
          }}
          {...shared}
        />
      );
  }
}

interface NameProps {
  readonly type: EnrolledType;
  readonly name: string;
  readonly isBusy: boolean;
  readonly notice: JSX.Element | undefined;
  readonly onName: (name: string) => void;
  readonly onCancel: () => void;
  readonly onNext: () => void;
}

function NameScreen({ type, name, isBusy, notice, onName, onCancel, onNext }: NameProps): JSX.Element {
  const texts = useTexts(accountTexts);
  return (
    <Screen title={type === 'totp' ? texts.enrolApp : texts.enrolTitle}>
      <p class="screen-text">{texts.enrolText}</p>
      <Notice kind="info">{type === 'totp' ? texts.enrolAppNote : texts.enrolNote}</Notice>
      {notice}
      <Form onSubmit={onNext}>
        <Field label={texts.description} value={name} maxLength={MAX_DESCRIPTION_LENGTH} onValue={onName} />
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

interface AppProps extends Omit<EnrolProps, 'type'> {
  readonly enrolment: UnprovenApp;
  readonly onFailure: (error: unknown) => void;
}

/** The code of an authenticator app, until the first response has proven it. */
function AppScreen({ enrolment, api, onDone, onEnded, onFailure }: AppProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const { run, isBusy, notice } = useWork(onEnded);
  return (
    <Screen title={texts.appTitle}>
      <p class="screen-text">{texts.appText}</p>
      <QrCode code={enrolment.key_uri} label={texts.appQrCode} />
      <p>
        <a href={enrolment.key_uri}>{texts.openAuthenticator}</a>
      </p>
      <ChallengePanel
        code={undefined}
        onAnswer={async (response) => {
          const isReady = await proven(api, enrolment, response ?? '');
          if (isReady) {
            await onDone(texts.appAdded);
          }
          return isReady;
        }}
        onFailure={onFailure}
      />
      {notice}
      <CancelButton api={api} isBusy={isBusy} run={run} onDone={onDone} />
    </Screen>
  );
}

interface CancelProps extends Pick<EnrolProps, 'api' | 'onDone'> {
  readonly isBusy: boolean;
  readonly run: (work: () => Promise<void>) => void;
}

/** Ends the enrolment that was begun. */
function CancelButton({ api, isBusy, run, onDone }: CancelProps): JSX.Element {
  const texts = useTexts(accountTexts);
  return (
    <Button
      busy={isBusy}
      onPress={() => {
        run(async () => {
          await api.cancelEnrolment();
          await onDone();
        });
      }}
    >
      {texts.cancel}
    </Button>
  );
}

interface CodeProps extends Omit<EnrolProps, 'type'> {
  readonly enrolment: RollOut;
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
  const cancel = <CancelButton api={api} isBusy={isBusy} run={run} onDone={onDone} />;
  if (isFirst) {
    return (
      <Screen title={texts.firstTitle}>
        <p class="screen-text">{texts.firstText}</p>
        <TimeLeft api={api} until={enrolment.expires_at} />
        <QrCode code={enrolment.init} label={texts.firstCode} />
        <OpenInApp code={enrolment.init} />
        {notice}
        <Button kind="primary" onPress={onNext}>
          {texts.next}
        </Button>
        {cancel}
      </Screen>
    );
  }
  const groups = enrolment.activation_code.replace(/.{4}(?=.)/g, '$& ');
  return (
    <Screen title={texts.secondTitle}>
      <p class="screen-text">{texts.secondText}</p>
      <TimeLeft api={api} until={enrolment.expires_at} />
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
      {cancel}
    </Screen>
  );
}

/**
 * @returns true if the code was right
 * @throws AccountFailure 'unfinished' where none is taken any more
 */
async function proven(api: AccountApi, { serial }: UnprovenApp, response: string): Promise<boolean> {
  if (await ifWrong(api.prove(serial, response), false)) {
    return true;
  }
  const { tokens } = await api.account();
  if (tokens.find((token) => token.serial === serial)?.state !== 'rollout') {
    throw new AccountFailure('unfinished');
  }
  return false;
}

/**
 * @returns true if the new phone is ready: its app has sent the first response, or it was typed
 * @throws AccountFailure 'unfinished' where no response is taken any more
 */
async function completed(
  api: AccountApi,
  { serial, transactionid }: RollOut,
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
