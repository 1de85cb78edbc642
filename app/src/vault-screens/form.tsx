import type { ComponentChildren, JSX } from 'preact';

/** A form that is handled here: nothing of it is sent, or put into the address. */
export function Form({
  onSubmit,
  children,
}: {
  onSubmit: () => void;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
