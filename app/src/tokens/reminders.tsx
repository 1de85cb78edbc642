import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { Button } from '../design/button.tsx';
import { Notice } from '../design/notice.tsx';
import { useTexts } from '../language/language.ts';
import { useServices } from '../shell/services.ts';
import type { StoredToken } from '../vault/vault.ts';
import { tokenTexts } from './token-texts.ts';

interface RemindersProps {
  readonly tokens: readonly StoredToken[];
  /** As in the settings of the vault. */
  readonly backupSettledAt: number;
}

/** One thing at a time that the user should do next: a backup of a new token, or the installation of the app. */
export function Reminders({ tokens, backupSettledAt }: RemindersProps): JSX.Element | null {
  const { installation, preferences } = useServices();
  const [isSettled, setSettled] = useState(false);
  const lacksBackup = tokens.some(({ token, addedAt }) => token.key !== null && addedAt > backupSettledAt);
  if (lacksBackup && !isSettled) {
    return (
      <BackupReminder
        onLater={() => {
          setSettled(true);
        }}
      />
    );
  }
  return installation.way === 'none' || preferences.declinesInstall ? null : <InstallReminder />;
}

function BackupReminder({ onLater }: { onLater: () => void }): JSX.Element {
  const { navigation, vault } = useServices();
  const texts = useTexts(tokenTexts);
  return (
    <Notice kind="info">
      <p>{texts.backupReminder}</p>
      <div class="actions">
        <Button
          onPress={() => {
            navigation.go({ name: 'backup' });
          }}
        >
          {texts.makeBackup}
        </Button>
        <Button
          onPress={() => {
            // Where it cannot be stored the reminder comes again.
            vault.changeSettings({ backupSettledAt: Date.now() }).then(onLater, onLater);
          }}
        >
          {texts.noBackup}
        </Button>
      </div>
    </Notice>
  );
}

function InstallReminder(): JSX.Element {
  const { installation, preferences } = useServices();
  const texts = useTexts(tokenTexts);
  return (
    <Notice kind="info">
      <p>{installation.way === 'menu' ? texts.installByMenu : texts.installReminder}</p>
      <div class="actions">
        {installation.way === 'prompt' && (
          <Button
            onPress={() => {
              installation.install();
            }}
          >
            {texts.install}
          </Button>
        )}
        <Button
          onPress={() => {
            preferences.declineInstall();
          }}
        >
          {texts.noInstall}
        </Button>
      </div>
    </Notice>
  );
}
