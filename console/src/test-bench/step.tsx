import { Paper, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './test-bench.module.css';

/** A part of the bench with its heading. */
export function Step({
  title,
  children,
}: {
  readonly title: string;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <Paper component="section" withBorder p="md" className={classes.step}>
      <Title order={2} className={classes.heading}>
        {title}
      </Title>
      {children}
    </Paper>
  );
}
