import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { AccountApi, AccountFailure, type EnrolledType, type OwnAccount } from './account-api.ts';
import { accountTexts } from './account-texts.ts';
import { EnrolScreens } from './enrol-screens.tsx';
import { SignInScreens } from './sign-in-screens.tsx';
import { TokensScreen } from './tokens-screen.tsx';

const api = new AccountApi();

type State =
  | { readonly kind: 'loading' | 'missing' | 'ended' }
  | { readonly kind: 'signed-out'; readonly said?: string }
  | { readonly kind: 'tokens'; readonly account: OwnAccount; readonly said?: string }
  | { readonly kind: 'enrol'; readonly type: EnrolledType };

/** The account page: the sign-in, the own tokens, and the enrolment of another one. */
export function AccountPage(): JSX.Element {
  const texts = useTexts(accountTexts);
  const [state, setState] = useState<State>({ kind: 'loading' });
  const load = async (said?: string): Promise<void> => {
    const account = await api.account();
    setState({ kind: 'tokens', account, ...(said !== undefined && { said }) });
  };
  const end = (): void => {
    setState({ kind: 'ended' });
  };
  useEffect(() => {
    load().catch((error: unknown) => {
      const isMissing = error instanceof AccountFailure && error.fault === 'missing';
      setState({ kind: isMissing ? 'missing' : 'signed-out' });
    });
  }, []);
  switch (state.kind) {
    case 'loading':
      return <p class="muted">{texts.loading}</p>;
    case 'missing':
      return (
        <Screen title={texts.missingTitle}>
          <Notice kind="info">{texts.missing}</Notice>
        </Screen>
      );
    case 'signed-out':
      return <SignInScreens api={api} said={state.said} hasEnded={false} onSignedIn={load} />;
    case 'ended':
      return <SignInScreens api={api} hasEnded onSignedIn={load} />;
    case 'tokens':
      return (
        <TokensScreen
          api={api}
          account={state.account}
          said={state.said}
          onChanged={load}
          onEnrol={(type) => {
            setState({ kind: 'enrol', type });
          }}
          onSignedOut={(signedOut) => {
            setState({ kind: 'signed-out', ...(signedOut !== undefined && { said: signedOut }) });
          }}
          onEnded={end}
        />
      );
    case 'enrol':
      return <EnrolScreens api={api} type={state.type} onDone={load} onEnded={end} />;
  }
}
