import type { JSX } from 'preact';
import { Button } from '../design/button.tsx';
import { Icon } from '../design/icon.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { LoadedContent } from '../shell/loaded-content.tsx';
import { useLoaded, useServices } from '../shell/services.ts';
import type { StoredToken } from '../vault/vault.ts';
import { IssuerLogo } from './issuer-line.tsx';
import { Reminders } from './reminders.tsx';
import { tokenTexts } from './token-texts.ts';

/** The tokens of this phone. */
export function TokenListScreen(): JSX.Element {
  const { vault } = useServices();
  const texts = useTexts(tokenTexts);
  const loaded = useLoaded(() => Promise.all([vault.listTokens(), vault.settings()]), [vault]);
  return (
    <Screen title={texts.title}>
      <LoadedContent loaded={loaded}>
        {([tokens, settings]) => (
          <>
            <TokenList tokens={tokens} />
            <Reminders tokens={tokens} backupSettledAt={settings.backupSettledAt} />
          </>
        )}
      </LoadedContent>
    </Screen>
  );
}

function TokenList({ tokens }: { tokens: readonly StoredToken[] }): JSX.Element {
  const { navigation } = useServices();
  const texts = useTexts(tokenTexts);
  const scan = (
    <Button
      kind="primary"
      onPress={() => {
        navigation.go({ name: 'scan' });
      }}
    >
      <Icon name="scan" />
      {tokens.length === 0 ? texts.scanFirst : texts.scan}
    </Button>
  );
  if (tokens.length === 0) {
    return (
      <div class="empty">
        <Icon name="scan" />
        <h2>{texts.emptyTitle}</h2>
        <p>{texts.empty}</p>
        {scan}
        <Button
          onPress={() => {
            navigation.go({ name: 'backup' });
          }}
        >
          {texts.restore}
        </Button>
      </div>
    );
  }
  return (
    <>
      {scan}
      <ul class="rows">
        {tokens.map((stored) => (
          <li key={stored.token.serial}>
            <TokenRow stored={stored} />
          </li>
        ))}
      </ul>
    </>
  );
}

function TokenRow({ stored: { token, name } }: { stored: StoredToken }): JSX.Element {
  const { navigation } = useServices();
  const texts = useTexts(tokenTexts);
  const state = token.key === null ? texts.awaitsSecond : texts.ready;
  return (
    <button
      class="row"
      type="button"
      onClick={() => {
        navigation.go({ name: 'token', serial: token.serial });
      }}
    >
      {(token.issuer?.logo ?? '') === '' ? (
        <Icon name="tokens" />
      ) : (
        <IssuerLogo logo={token.issuer?.logo ?? ''} />
      )}
      <span class="row-body">
        <span class="row-title">{titleOf(name, token.serial)}</span>
        <span class="row-note">
          {[token.issuer?.name, titleOf(name, token.serial) === token.serial ? '' : token.serial, state]
            .filter((text) => text !== undefined && text !== '')
            .join(' · ')}
        </span>
      </span>
      <Icon name="next" />
    </button>
  );
}

/** @returns the name that the user gave a token; its serial until then */
export function titleOf(name: string, serial: string): string {
  return name === '' ? serial : name;
}
