import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryFailure } from './failure.tsx';
import { Loading } from './loading.tsx';

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}

/** The content of a query: a sign while it is loading, its failure, and its data as long as there are any. */
export function Loaded<Data>({ query, children }: LoadedProps<Data>): ReactNode {
  return (
    <>
      <QueryFailure query={query} />
      {query.data === undefined ? query.error === null && <Loading /> : children(query.data)}
    </>
  );
}
