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
  type BegunSignIn,
  type Credentials,
  ifWrong,
  MAX_LOGIN_LENGTH,
} from './account-api.ts';
import { accountTexts } from './account-texts.ts';
import { ChallengePanel, TimeLeft } from './challenge-panel.tsx';
import { useWork } from './work.tsx';

interface SignInProps {
  readonly api: AccountApi;
  /** What was done a moment ago. */
  readonly said?: string | undefined;
  /** True after a session that has ended by itself. */
  readonly hasEnded: boolean;
  readonly onSignedIn: () => Promise<void>;
}

const NOTHING: Credentials = { user: '', realm: '', password: '' };

/** The sign-in: password, then a phone. */
export function SignInScreens({ api, said, hasEnded, onSignedIn }: SignInProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const [credentials, setCredentials] = useState(NOTHING);
  const [begun, setBegun] = useState<BegunSignIn>();
  const { run, fail, isBusy, notice } = useWork();
  const begin = (token?: number): void => {
    run(async () => {
      setBegun(undefined);
      setBegun(await api.signIn(credentials, token));
    });
  };
  if (begun !== undefined) {
    return (
      <ConfirmScreen
        begun={begun}
        api={api}
        onOther={begin}
        onCancel={() => {
          setBegun(undefined);
          setCredentials({ ...credentials, password: '' });
        }}
        onAnswer={async (response) => {
          const isDone = await ifWrong(api.finishSignIn(response), false);
          if (isDone) {
            setCredentials(NOTHING);
            await onSignedIn();
          }
          return isDone;
        }}
        onFailure={(error) => {
          setBegun(undefined);
          fail(error);
        }}
      />
    );
  }
  return (
    <Screen title={texts.signInTitle}>
      <p class="screen-text">{texts.signInText}</p>
      {said !== undefined && notice === undefined && <Notice kind="success">{said}</Notice>}
      {hasEnded && notice === undefined && <Notice kind="info">{texts.faults.ended}</Notice>}
      {notice}
      <PasswordForm credentials={credentials} isBusy={isBusy} onChange={setCredentials} onSubmit={begin} />
    </Screen>
  );
}

interface PasswordProps {
  readonly credentials: Credentials;
  readonly isBusy: boolean;
  readonly onChange: (credentials: Credentials) => void;
  readonly onSubmit: () => void;
}

function PasswordForm({ credentials, isBusy, onChange, onSubmit }: PasswordProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const field = (name: keyof Credentials) => ({
    label: texts[name],
    value: credentials[name],
    onValue: (value: string) => {
      onChange({ ...credentials, [name]: value });
    },
  });
  return (
    <Form
      onSubmit={() => {
        onSubmit();
      }}
    >
      <Field {...field('user')} maxLength={MAX_LOGIN_LENGTH} autocomplete="username" />
      <Field {...field('password')} type="password" autocomplete="current-password" />
      <Field {...field('realm')} hint={texts.realmHint} />
      <Button kind="primary" type="submit" busy={isBusy}>
        {texts.next}
      </Button>
    </Form>
  );
}

interface ConfirmProps {
  readonly begun: BegunSignIn;
  readonly api: AccountApi;
  readonly onOther: (token: number) => void;
  readonly onCancel: () => void;
  readonly onAnswer: (response?: string) => Promise<boolean>;
  readonly onFailure: (error: unknown) => void;
}

function ConfirmScreen({ begun, api, onOther, onCancel, onAnswer, onFailure }: ConfirmProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const text = begun.data === undefined ? texts.appCodeText : texts.confirmText;
  return (
    <Screen title={texts.confirmTitle}>
      <p class="screen-text">{text(begun.tokens[begun.token] ?? '')}</p>
      <TimeLeft api={api} until={begun.expires_at} />
      <ChallengePanel key={begun.data} code={begun.data} onAnswer={onAnswer} onFailure={onFailure} />
      {begun.tokens.map(
        (end, token) =>
          token !== begun.token && (
            <Button
              key={token}
              onPress={() => {
                onOther(token);
              }}
            >
              {texts.useOther(end)}
            </Button>
          ),
      )}
      <Button onPress={onCancel}>{texts.cancel}</Button>
    </Screen>
  );
}
