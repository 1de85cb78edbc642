import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { LanguageContext } from '../language/language.ts';
import { ClosedScreen } from './closed-screen.tsx';
import { Frame } from './frame.tsx';
import { OpenScreen } from './open-screen.tsx';
import { type Services, ServicesContext, useChanges } from './services.ts';
import { UpdateNotice } from './update-notice.tsx';

/** The whole app: the screen that the state of the vault and the opened route ask for. */
export function App({ services }: { services: Services }): JSX.Element {
  const { vault, navigation, preferences, link, installation } = services;
  useChanges(vault);
  useChanges(navigation);
  useChanges(preferences);
  useChanges(link);
  useChanges(installation);
  const isOpen = vault.state === 'open';
  useEffect(() => {
    if (!isOpen) {
      navigation.reset();
    }
  }, [isOpen]);
  useEffect(() => {
    const route = isOpen ? link.take() : undefined;
    if (route !== undefined) {
      navigation.go(route);
    }
  });
  return (
    <ServicesContext.Provider value={services}>
      <LanguageContext.Provider value={preferences.language}>
        <Frame isOpen={isOpen}>
          <UpdateNotice />
          {isOpen ? <OpenScreen route={navigation.current} /> : <ClosedScreen state={vault.state} />}
        </Frame>
      </LanguageContext.Provider>
    </ServicesContext.Provider>
  );
}
