import { Code } from '@mantine/core';
import { Fragment, type ReactNode } from 'react';

/** A text of the server, whose commands and names stand between backticks. */
export function WithCode({ text }: { readonly text: string }): ReactNode {
  return text
    .split('`')
    .map((part, place) =>
      place % 2 === 1 ? (
        <Code key={`${place} ${part}`}>{part}</Code>
      ) : (
        <Fragment key={`${place} ${part}`}>{part}</Fragment>
      ),
    );
}
