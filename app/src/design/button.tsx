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

/** Also of the Enter key in a field. */
function ignore(event: Event): void {
  event.preventDefault();
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
      disabled={disabled}
      aria-busy={busy}
      // A disabled button would lose the focus.
      aria-disabled={busy}
      onClick={busy ? ignore : onPress}
    >
      {children}
    </button>
  );
}
