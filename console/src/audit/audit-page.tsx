import { Button, Paper, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { useLocation } from 'wouter';
import { call } from '../api/call.ts';
import { QueryFailure } from '../design/failure.tsx';
import { Loading } from '../design/loading.tsx';
import { Page } from '../design/page.tsx';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import { type AuditFilters, filtersOf, formAt } from './audit-filters.ts';
import { AuditRows } from './audit-rows.tsx';
import { auditTexts } from './audit-texts.ts';
import classes from './audit.module.css';
import { ExportPart } from './export-part.tsx';
import { SearchForm } from './search-form.tsx';

type Search = ReturnType<typeof useAuditSearch>;

/** Searches and exports the audit. */
export default function AuditPage(): ReactNode {
  // For another address of this page.
  useLocation();
  const { hash } = location;
  return <SearchPage key={hash} hash={hash} />;
}

function SearchPage({ hash }: { readonly hash: string }): ReactNode {
  const t = useTexts(auditTexts);
  const format = useFormat();
  const [first] = useState(() => formAt(hash));
  // The number makes the same search a new one.
  const [request, setRequest] = useState({ filters: filtersOf(first, format), number: 0 });
  const search = useAuditSearch(request);
  return (
    <Page title={t.title} lead={t.lead}>
      <Paper withBorder p="md">
        <SearchForm
          first={first}
          isSearching={search.isFetching && !search.isFetchingNextPage}
          onSearch={(form) => {
            setRequest({ filters: filtersOf(form, format), number: request.number + 1 });
          }}
        />
      </Paper>
      <FoundRows search={search} />
      <ExportPart key={request.number} filters={request.filters} />
    </Page>
  );
}

function useAuditSearch(request: { readonly filters: AuditFilters; readonly number: number }) {
  return useInfiniteQuery({
    queryKey: ['audit', 'search', request],
    queryFn: ({ pageParam, signal }) =>
      call(
        '/admin/audit/search',
        { ...request.filters, limit: '50', ...(pageParam !== null && { cursor: pageParam }) },
        { signal },
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next }) => next,
    // Further pages begin where the last one ended: read anew, they would be others.
    refetchOnWindowFocus: false,
    staleTime: Infinity,
  });
}

function FoundRows({ search }: { readonly search: Search }): ReactNode {
  const t = useTexts(auditTexts);
  const rows = search.data?.pages.flatMap((page) => page.rows) ?? [];
  const end = rows.length === 0 ? t.nothing : t.end;
  const farther = rows.length === 0 ? t.nothingYet : '';
  return (
    <section className={classes.part} aria-busy={search.isFetching}>
      <Title order={2} className={classes.heading}>
        {t.rows}
      </Title>
      <QueryFailure query={search} />
      {search.isLoading && <Loading />}
      {rows.length > 0 && <AuditRows rows={rows} />}
      {search.isSuccess && (
        <p className={classes.note} role="status">
          {search.hasNextPage ? farther : end}
        </p>
      )}
      {search.hasNextPage && (
        <div>
          <Button
            variant="default"
            loading={search.isFetchingNextPage}
            onClick={() => void search.fetchNextPage()}
          >
            {t.older}
          </Button>
        </div>
      )}
    </section>
  );
}
