import type { JSX } from 'preact';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { Screen } from '../design/screen.tsx';
import { useTexts } from '../language/language.ts';
import { FirstStart } from '../vault-screens/first-start.tsx';
import { UnlockScreen } from '../vault-screens/unlock-screen.tsx';
import type { VaultState } from '../vault/vault.ts';
import { useServices } from './services.ts';
import { shellTexts } from './shell-texts.ts';

/** The screen before the vault is open. */
export function ClosedScreen({ state }: { state: Exclude<VaultState, 'open'> }): JSX.Element {
  const { link, navigation, vault } = useServices();
  const texts = useTexts(shellTexts);
  const waiting = link.waits ? <Notice kind="info">{texts.linkWaits}</Notice> : null;
  switch (state) {
    case 'loading':
      return <Screen title={texts.loading}>{null}</Screen>;
    case 'unavailable':
      return <UnavailableScreen />;
    case 'new':
      return (
        <FirstStart
          vault={vault}
          top={waiting}
          onRestore={() => {
            navigation.go({ name: 'backup' });
          }}
        />
      );
    case 'locked':
      return <UnlockScreen vault={vault} top={waiting} />;
  }
}

function UnavailableScreen(): JSX.Element {
  const texts = useTexts(shellTexts);
  return (
    <Screen title={texts.unavailableTitle}>
      <Notice kind="error">{texts.unavailable}</Notice>
      <p class="screen-text">{texts.unavailableWhat}</p>
      <Button
        kind="primary"
        onPress={() => {
          location.reload();
        }}
      >
        {texts.reload}
      </Button>
    </Screen>
  );
}
