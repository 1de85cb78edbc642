import { render } from 'preact';
import { keepEventsInOrder } from './browser/event-order.ts';
import './design/design.css';
import { LanguageContext } from './language/language.ts';
import { App } from './shell/app.tsx';
import { IncomingLink } from './shell/incoming-link.ts';
import { Installation } from './shell/installation.ts';
import { InsecureScreen } from './shell/insecure-screen.tsx';
import { Navigation } from './shell/navigation.ts';
import { Preferences } from './shell/preferences.ts';
import { openVault } from './vault/open-vault.ts';

keepEventsInOrder();
const root = document.getElementById('app');
// First of all: the address loses a code before anything else happens.
const link = new IncomingLink();
const installation = new Installation();
if (root !== null) {
  const preferences = new Preferences();
  render(
    window.isSecureContext ? (
      <App
        services={{
          vault: await openVault(),
          navigation: new Navigation(),
          preferences,
          link,
          installation,
        }}
      />
    ) : (
      <LanguageContext.Provider value={preferences.language}>
        <InsecureScreen />
      </LanguageContext.Provider>
    ),
    root,
  );
}
