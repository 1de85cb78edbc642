import { type Arrival, pageHash, readArrival } from './arrival.ts';

const DESTINATION = 'tankeeper-wanted';

/**
 * Takes the arrival out of the address, so that no secret stays in the history, and puts the page there that was wanted
 * before single sign-on led elsewhere.
 */
export function consumeArrival(): Arrival | undefined {
  const { hash } = location;
  const arrival = readArrival(hash);
  const destination = pageHash(sessionStorage.getItem(DESTINATION));
  sessionStorage.removeItem(DESTINATION);
  if (arrival !== undefined || (hash === '' && destination !== undefined)) {
    history.replaceState(null, '', destination ?? '#/');
  }
  return arrival;
}

/** Keeps the page in this tab while the browser is at the provider. */
export function keepDestination(): void {
  const destination = pageHash(location.hash);
  if (destination !== undefined) {
    sessionStorage.setItem(DESTINATION, destination);
  }
}
