import { useMediaQuery } from '@mantine/hooks';
import type { ReactNode } from 'react';

/** Filters, which fold away where the window is narrow: on phones, and at twice the size of text. */
export function Folded({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ReactNode;
}): ReactNode {
  const isWide = useMediaQuery('(min-width: 48rem)', undefined, { getInitialValueInEffect: false });
  return isWide ? (
    children
  ) : (
    <details>
      <summary>{label}</summary>
      {children}
    </details>
  );
}
