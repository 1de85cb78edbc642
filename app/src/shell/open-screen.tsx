import type { JSX } from 'preact';
import { CodeScreen } from '../flows/code-screen.tsx';
import { HistoryScreen } from '../history/history-screen.tsx';
import { ScanScreen } from '../scanning/scan-screen.tsx';
import { AboutScreen } from '../settings/about-screen.tsx';
import { BackToSettings } from '../settings/back-to-settings.tsx';
import { SettingsScreen } from '../settings/settings-screen.tsx';
import { TokenListScreen } from '../tokens/token-list-screen.tsx';
import { TokenScreen } from '../tokens/token-screen.tsx';
import { BackupScreen } from '../vault-screens/backup-screen.tsx';
import { SecuritySettings } from '../vault-screens/security-settings.tsx';
import type { Route } from './navigation.ts';
import { useServices } from './services.ts';

/** A screen of the open app. */
export function OpenScreen({ route }: { route: Route }): JSX.Element {
  const { navigation, vault } = useServices();
  switch (route.name) {
    case 'tokens':
      return <TokenListScreen />;
    case 'token':
      return <TokenScreen key={route.serial} serial={route.serial} />;
    case 'scan':
      return (
        <ScanScreen
          onCode={(text) => {
            navigation.replace({ name: 'code', text });
          }}
        />
      );
    case 'code':
      return <CodeScreen key={route.text} text={route.text} />;
    case 'history':
      return <HistoryScreen />;
    case 'settings':
      return <SettingsScreen />;
    case 'security':
      return <SecuritySettings vault={vault} top={<BackToSettings />} />;
    case 'backup':
      return <BackupScreen vault={vault} top={<BackToSettings />} />;
    case 'about':
      return <AboutScreen />;
  }
}
