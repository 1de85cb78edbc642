import type { JSX } from 'preact';
import { Screen } from '../design/screen.tsx';

/** The whole app: the screen that the state of the vault and the address ask for. */
export function App(): JSX.Element {
  return <Screen title="Tankeeper">{null}</Screen>;
}
