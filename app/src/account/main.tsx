import { render } from 'preact';
import { keepEventsInOrder } from '../browser/event-order.ts';
import '../design/design.css';
import { LanguageContext } from '../language/language.ts';
import { Preferences } from '../shell/preferences.ts';
import { AccountPage } from './account-page.tsx';

keepEventsInOrder();
const root = document.getElementById('app');
if (root !== null) {
  render(
    <LanguageContext.Provider value={new Preferences().language}>
      <AccountPage />
    </LanguageContext.Provider>,
    root,
  );
}
