import type { JSX } from 'preact';
import { useContext, useRef, useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { LanguageContext, useTexts } from '../language/language.ts';
import { timeText } from '../language/time-text.ts';
import { Form } from '../vault-screens/form.tsx';
import {
  type AccountApi,
  type EnrolledType,
  MAX_DESCRIPTION_LENGTH,
  nameOf,
  type OwnAccount,
  type OwnToken,
} from './account-api.ts';
import { accountTexts } from './account-texts.ts';
import { useWork } from './work.tsx';

interface TokensProps {
  readonly api: AccountApi;
  readonly account: OwnAccount;
  /** What was done a moment ago. */
  readonly said: string | undefined;
  /** Shows the account as it is now, and says what was done. */
  readonly onChanged: (said: string) => Promise<void>;
  readonly onEnrol: (type: EnrolledType) => void;
  /** Shows the sign-in, and says what was done. */
  readonly onSignedOut: (said?: string) => void;
  readonly onEnded: () => void;
}

/** The own tokens, with what the person may do. */
export function TokensScreen(props: TokensProps): JSX.Element {
  const { api, account, said, onEnrol, onSignedOut, onEnded } = props;
  const texts = useTexts(accountTexts);
  const { run, isBusy, notice } = useWork(onEnded);
  return (
    <Screen title={texts.title}>
      <p class="screen-text">{texts.signedInAs(account.login)}</p>
      {said !== undefined && <Notice kind="success">{said}</Notice>}
      {notice}
      {account.tokens.map((token) => (
        <TokenCard key={token.serial} token={token} {...props} />
      ))}
      <div class="actions">
        {account.acts.includes('enrol') && (
          <Button
            kind="primary"
            onPress={() => {
              onEnrol('ocra2');
            }}
          >
            {texts.enrol}
          </Button>
        )}
        {account.acts.includes('enroltotp') && (
          <Button
            kind="primary"
            onPress={() => {
              onEnrol('totp');
            }}
          >
            {texts.enrolApp}
          </Button>
        )}
        <Button
          busy={isBusy}
          onPress={() => {
            run(async () => {
              await api.signOut();
              onSignedOut();
            });
          }}
        >
          {texts.signOut}
        </Button>
      </div>
    </Screen>
  );
}

function TokenCard({ token, ...props }: TokensProps & { token: OwnToken }): JSX.Element {
  const texts = useTexts(accountTexts);
  const language = useContext(LanguageContext);
  const [open, setOpen] = useState<'rename' | 'lock'>();
  const card = useRef<HTMLElement>(null);
  const name = nameOf(token);
  const show = (act?: 'rename' | 'lock'): void => {
    setOpen(act);
    // The button that was pressed goes, and would take the focus with it.
    card.current?.focus();
  };
  return (
    <section class="card" aria-label={name} tabIndex={-1} ref={card}>
      <h2>{name}</h2>
      <p>
        {texts.states[token.state]} {token.is_sign_in_token && texts.present}
      </p>
      <p class="muted">
        {texts.serial}: {token.serial} · {texts.lastUse}:{' '}
        {token.last_success_at === null ? texts.never : timeText(language, Date.parse(token.last_success_at))}
      </p>
      {open === undefined ? (
        <TokenActs acts={props.account.acts} token={token} onOpen={show} />
      ) : (
        <OpenAct
          act={open}
          token={token}
          onClose={() => {
            show();
          }}
          {...props}
        />
      )}
    </section>
  );
}

interface ActsProps {
  readonly acts: readonly string[];
  readonly token: OwnToken;
  readonly onOpen: (act: 'rename' | 'lock') => void;
}

function TokenActs({ acts, token, onOpen }: ActsProps): JSX.Element {
  const texts = useTexts(accountTexts);
  return (
    <>
      {acts.includes('rename') && (
        <Button
          onPress={() => {
            onOpen('rename');
          }}
        >
          {texts.rename(nameOf(token))}
        </Button>
      )}
      {acts.includes('lock') && token.state !== 'off' && token.state !== 'unfinished' && (
        <Button
          onPress={() => {
            onOpen('lock');
          }}
        >
          {texts.lock(nameOf(token))}
        </Button>
      )}
    </>
  );
}

interface OpenActProps extends TokensProps {
  readonly act: 'rename' | 'lock';
  readonly token: OwnToken;
  readonly onClose: () => void;
}

function OpenAct({ act, token, api, onClose, onChanged, onSignedOut, onEnded }: OpenActProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const done = async (said: string): Promise<void> => {
    onClose();
    await onChanged(said);
  };
  return act === 'rename' ? (
    <RenameForm
      known={token.description}
      onEnded={onEnded}
      onCancel={onClose}
      onSave={async (description) => {
        await api.rename(token.serial, description);
        await done(texts.renamed);
      }}
    />
  ) : (
    <LockForm
      isPresent={token.is_sign_in_token}
      onEnded={onEnded}
      onCancel={onClose}
      onLock={async () => {
        await api.lock(token.serial);
        if (token.is_sign_in_token) {
          onSignedOut(texts.lockedOwn);
        } else {
          await done(texts.lockedNow);
        }
      }}
    />
  );
}

interface RenameProps {
  readonly known: string;
  readonly onEnded: () => void;
  readonly onCancel: () => void;
  readonly onSave: (description: string) => Promise<void>;
}

function RenameForm({ known, onEnded, onCancel, onSave }: RenameProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const [description, setDescription] = useState(known);
  const { run, isBusy, notice } = useWork(onEnded);
  return (
    <Form
      onSubmit={() => {
        run(() => onSave(description));
      }}
    >
      {notice}
      <Field
        label={texts.description}
        value={description}
        maxLength={MAX_DESCRIPTION_LENGTH}
        onValue={setDescription}
      />
      <Button kind="primary" type="submit" busy={isBusy}>
        {texts.save}
      </Button>
      <Button onPress={onCancel}>{texts.cancel}</Button>
    </Form>
  );
}

interface LockProps {
  readonly isPresent: boolean;
  readonly onEnded: () => void;
  readonly onCancel: () => void;
  readonly onLock: () => Promise<void>;
}

function LockForm({ isPresent, onEnded, onCancel, onLock }: LockProps): JSX.Element {
  const texts = useTexts(accountTexts);
  const { run, isBusy, notice } = useWork(onEnded);
  return (
    <>
      {notice}
      <Notice kind="warning">{isPresent ? texts.lockOwnText : texts.lockText}</Notice>
      <Button
        kind="danger"
        busy={isBusy}
        onPress={() => {
          run(onLock);
        }}
      >
        {texts.lockNow}
      </Button>
      <Button onPress={onCancel}>{texts.cancel}</Button>
    </>
  );
}
