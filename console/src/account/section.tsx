import { Paper, Text, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import classes from './section.module.css';

interface SectionProps {
  readonly title: string;
  /** A sentence or two. */
  readonly lead?: string;
  readonly children: ReactNode;
}

/** A titled part of a page. */
export function Section({ title, lead, children }: SectionProps): ReactNode {
  const id = useId();
  return (
    <Paper component="section" withBorder p="md" aria-labelledby={id} className={classes.section}>
      <Title order={2} size="h4" id={id}>
        {title}
      </Title>
      {lead !== undefined && <Text c="dimmed">{lead}</Text>}
      {children}
    </Paper>
  );
}
