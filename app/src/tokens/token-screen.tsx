import type { ComponentChildren, JSX } from 'preact';
import { useContext, useState } from 'preact/hooks';
import { BackButton } from '../design/back-button.tsx';
import { Button } from '../design/button.tsx';
import { Field } from '../design/field.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { LanguageContext, useTexts } from '../language/language.ts';
import { timeText } from '../language/time-text.ts';
import { LoadedContent } from '../shell/loaded-content.tsx';
import { useLoaded, useServices } from '../shell/services.ts';
import type { StoredToken } from '../vault/vault.ts';
import { IssuerLine } from './issuer-line.tsx';
import { titleOf } from './token-list-screen.tsx';
import { tokenTexts } from './token-texts.ts';

/** One token: what it is, its name, and the way to remove it. */
export function TokenScreen({ serial }: { serial: string }): JSX.Element {
  const { vault, navigation } = useServices();
  const texts = useTexts(tokenTexts);
  const [changes, setChanges] = useState(0);
  const [isRemoving, setRemoving] = useState(false);
  const tokens = useLoaded(() => vault.listTokens(), [vault, changes]);
  const stored =
    tokens.kind === 'loaded' ? tokens.value.find(({ token }) => token.serial === serial) : undefined;
  const name = titleOf(stored?.name ?? '', serial);
  if (stored !== undefined && isRemoving) {
    return (
      <RemovalScreen
        stored={stored}
        onKept={() => {
          setRemoving(false);
        }}
      />
    );
  }
  return (
    <Screen title={name} pageTitle={texts.title}>
      <BackButton
        text={texts.back}
        onPress={() => {
          navigation.back();
        }}
      />
      <LoadedContent loaded={tokens}>
        {() =>
          stored === undefined ? (
            <Notice kind="info">{texts.gone}</Notice>
          ) : (
            <TokenDetail
              stored={stored}
              onRenamed={() => {
                setChanges(changes + 1);
              }}
              onRemove={() => {
                setRemoving(true);
              }}
            />
          )
        }
      </LoadedContent>
    </Screen>
  );
}

function TokenDetail({
  stored,
  onRenamed,
  onRemove,
}: {
  stored: StoredToken;
  onRenamed: () => void;
  onRemove: () => void;
}): JSX.Element {
  const texts = useTexts(tokenTexts);
  return (
    <>
      <TokenFacts stored={stored} />
      <NameForm stored={stored} onRenamed={onRenamed} />
      <Button kind="danger" onPress={onRemove}>
        {texts.remove}
      </Button>
    </>
  );
}

function TokenFacts({ stored: { token, addedAt } }: { stored: StoredToken }): JSX.Element {
  const texts = useTexts(tokenTexts);
  const language = useContext(LanguageContext);
  const facts: readonly (readonly [string, ComponentChildren])[] = [
    ...(token.issuer === undefined ? [] : [[texts.issuer, <IssuerLine issuer={token.issuer} />] as const]),
    [texts.serial, token.serial],
    [texts.state, token.key === null ? texts.awaitsSecond : texts.ready],
    [texts.added, timeText(language, addedAt)],
    [texts.suite, token.suite],
    ...(usesCounter(token.suite) ? [[texts.counter, token.counter] as const] : []),
  ];
  return (
    <dl class="card facts">
      {facts.map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

/** @param suite the text of a valid OCRA suite: `C` stands first in its data input (RFC 6287 §6.3) */
function usesCounter(suite: string): boolean {
  return /:C(-|$)/i.test(suite);
}

/** Longer names would push everything else from the screen. */
const MAX_NAME_LENGTH = 60;

function NameForm({ stored, onRenamed }: { stored: StoredToken; onRenamed: () => void }): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(tokenTexts);
  const [name, setName] = useState(stored.name);
  const [outcome, setOutcome] = useState<'none' | 'renamed' | 'failed'>('none');
  return (
    <form
      class="actions"
      onSubmit={(event) => {
        event.preventDefault();
        vault.renameToken(stored.token.serial, name.trim()).then(
          () => {
            setOutcome('renamed');
            onRenamed();
          },
          () => {
            setOutcome('failed');
          },
        );
      }}
    >
      <Field
        label={texts.name}
        hint={texts.nameHint}
        value={name}
        maxLength={MAX_NAME_LENGTH}
        error={outcome === 'failed' ? texts.failed : undefined}
        onValue={(value) => {
          setName(value);
          setOutcome('none');
        }}
      />
      <Button type="submit">{texts.rename}</Button>
      <p role="status">{outcome === 'renamed' && texts.renamed}</p>
    </form>
  );
}

function RemovalScreen({ stored, onKept }: { stored: StoredToken; onKept: () => void }): JSX.Element {
  const { vault, navigation } = useServices();
  const texts = useTexts(tokenTexts);
  const [hasFailed, setFailed] = useState(false);
  const { serial } = stored.token;
  const remove = (): void => {
    vault.removeToken(serial).then(
      () => {
        navigation.replace({ name: 'tokens' });
      },
      () => {
        setFailed(true);
      },
    );
  };
  return (
    <Screen title={texts.removeTitle}>
      <p class="card">
        <strong>{titleOf(stored.name, serial)}</strong> <span class="muted">{serial}</span>
      </p>
      <Notice kind="warning">{texts.removeWarning}</Notice>
      {hasFailed && <Notice kind="error">{texts.failed}</Notice>}
      <div class="actions">
        <Button kind="primary" onPress={onKept}>
          {texts.keep}
        </Button>
        <Button kind="danger" onPress={remove}>
          {texts.removeNow}
        </Button>
      </div>
    </Screen>
  );
}
