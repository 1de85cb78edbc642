import type { JSX } from 'preact';
import { Icon } from './icon.tsx';

/** The way to the screen before. */
export function BackButton({ text, onPress }: { text: string; onPress: () => void }): JSX.Element {
  return (
    <button class="icon-button back" type="button" onClick={onPress}>
      <Icon name="back" />
      {text}
    </button>
  );
}
