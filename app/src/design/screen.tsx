import type { ComponentChildren, JSX } from 'preact';

/** One screen of the app: a heading that takes the focus when the screen opens, and its content. */
export function Screen({ title, children }: { title: string; children: ComponentChildren }): JSX.Element {
  return (
    <main class="screen">
      <h1 tabIndex={-1}>{title}</h1>
      {children}
    </main>
  );
}
