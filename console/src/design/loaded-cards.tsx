import { Text } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { CardList } from './card.tsx';
import { Loaded } from './loaded.tsx';

interface LoadedCardsProps<One> {
  /** The subject of the list, read aloud. */
  readonly label: string;
  readonly query: UseQueryResult<readonly One[]>;
  /** Shown where there is none. */
  readonly none: string;
  /** @returns the card of one thing, with its key */
  readonly children: (one: One) => ReactNode;
}

/** The things of a query as cards. */
export function LoadedCards<One>({ label, query, none, children }: LoadedCardsProps<One>): ReactNode {
  return (
    <Loaded query={query}>
      {(all) =>
        all.length === 0 ? <Text>{none}</Text> : <CardList label={label}>{all.map(children)}</CardList>
      }
    </Loaded>
  );
}
