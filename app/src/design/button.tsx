import type { ComponentChildren, JSX } from 'preact';

interface ButtonProps {
  readonly kind?: 'primary' | 'secondary' | 'danger';
  readonly type?: 'button' | 'submit';
  readonly disabled?: boolean;
  /** Work is under way: the button stays in place and takes no press. */
  readonly busy?: boolean;
  readonly onPress?: () => void;
  readonly children: ComponentChildren;
}

/** A push button. */
export function Button({
  kind = 'secondary',
  type = 'button',
  disabled = false,
  busy = false,
  onPress,
  children,
}: ButtonProps): JSX.Element {
  return (
    <button
      class={`button button-${kind}`}
      type={type}
      disabled={disabled || busy}
      aria-busy={busy}
      onClick={onPress}
    >
      {children}
    </button>
  );
}
