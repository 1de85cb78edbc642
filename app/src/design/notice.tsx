import type { ComponentChildren, JSX } from 'preact';

/** A message on a screen; errors and warnings are read out at once. */
export function Notice({
  kind,
  children,
}: {
  kind: 'info' | 'success' | 'warning' | 'error';
  children: ComponentChildren;
}): JSX.Element {
  const isUrgent = kind === 'warning' || kind === 'error';
  return (
    <div class={`notice notice-${kind}`} role={isUrgent ? 'alert' : 'status'}>
      {children}
    </div>
  );
}
