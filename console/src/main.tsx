import './design/mantine.css';
import './design/colours.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { keepEventsInOrder } from '../../app/src/browser/event-order.ts';
import { watchUse } from './design/focus.ts';
import { mendLanguageTag } from './language/language.ts';
import { Console } from './shell/console.tsx';
import { readArrival } from './sign-in/arrival.ts';
import { consumeArrival } from './sign-in/consume-arrival.ts';

mendLanguageTag(navigator);
watchUse();
keepEventsInOrder();
const place = document.querySelector('#console');
if (place === null) {
  throw new Error('index.html has no place for the console');
}
const arrival = consumeArrival();
// A link that is opened in the tab of an open console changes the hash alone.
addEventListener('hashchange', () => {
  if (readArrival(location.hash) !== undefined) {
    location.reload();
  }
});
createRoot(place).render(
  <StrictMode>
    <Console arrival={arrival} />
  </StrictMode>,
);
