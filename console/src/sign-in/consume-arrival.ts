import { type Arrival, pageHash, readArrival } from './arrival.ts';

const WANTED = 'tankeeper-wanted';

/**
 * Takes the arrival out of the address, so that no secret stays in the history, and puts the page there that was wanted
 * before single sign-on led elsewhere.
 */
export function consumeArrival(): Arrival | undefined {
  const { hash } = location;
  const arrival = readArrival(hash);
  const wanted = pageHash(sessionStorage.getItem(WANTED));
  sessionStorage.removeItem(WANTED);
  if (arrival !== undefined || (hash === '' && wanted !== undefined)) {
    history.replaceState(null, '', wanted ?? '#/');
  }
  return arrival;
}

/** Keeps the page in this tab while the browser is at the provider. */
export function keepWanted(): void {
  const wanted = pageHash(location.hash);
  if (wanted !== undefined) {
    sessionStorage.setItem(WANTED, wanted);
  }
}
