import { Anchor, Button, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { useFormat } from '../language/format.ts';
import { type Texts, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { personAddress, tokenAddress } from './addresses.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { RealmSelect } from './realm-select.tsx';
import { TokenBadge } from './token-badge.tsx';
import { mayOnToken } from './token-state.ts';
import { useNames } from './use-names.ts';

type Sheet = ValueOf<'/admin/tokens'> & {
  /** From 1. */
  readonly page: number;
};

interface Filter {
  readonly serial: string;
  readonly realm: string;
  readonly state: '' | 'active' | 'inactive' | 'locked';
  readonly owner: '' | 'assigned' | 'unassigned';
}

interface TokensTexts {
  readonly title: string;
  readonly serial: string;
  readonly allRealms: string;
  readonly any: string;
  readonly states: Readonly<Record<Exclude<Filter['state'], ''>, string>>;
  readonly owners: Readonly<Record<Exclude<Filter['owner'], ''>, string>>;
  readonly none: string;
  readonly back: string;
  readonly next: string;
  readonly total: (count: string) => string;
  readonly page: (number: string) => string;
}

const texts: Texts<TokensTexts> = {
  en: {
    title: 'Tokens',
    serial: 'Beginning of the serial',
    allRealms: 'All',
    any: 'any',
    states: { active: 'active', inactive: 'disabled', locked: 'locked' },
    owners: { assigned: 'somebody', unassigned: 'nobody' },
    none: 'No token matches.',
    back: 'Previous page',
    next: 'Next page',
    total: (count) => `${count} in all`,
    page: (number) => `Page ${number}`,
  },
  de: {
    title: 'Token',
    serial: 'Anfang der Seriennummer',
    allRealms: 'Alle',
    any: 'beliebig',
    states: { active: 'aktiv', inactive: 'deaktiviert', locked: 'gesperrt' },
    owners: { assigned: 'jemand', unassigned: 'niemand' },
    none: 'Kein Token passt.',
    back: 'Vorige Seite',
    next: 'Nächste Seite',
    total: (count) => `${count} insgesamt`,
    page: (number) => `Seite ${number}`,
  },
};

/** The content of the table. */
interface View {
  readonly filter: Filter;
  /** The cursors of the pages up to this one. */
  readonly cursors: readonly string[];
}

const FIRST_VIEW: View = { filter: { serial: '', realm: '', state: '', owner: '' }, cursors: [''] };
/** The name for tokens in no realm, as the server writes it. */
const NO_REALM = '/:no realm:/';
/** The last view, in the memory of the page until the sign-out, for the way back from a token. */
const LAST_VIEW = ['helpdesk', 'view of tokens'];

/** @returns the first page of the tokens with the status of the address; undefined: it names none */
function viewWith(status: string): View | undefined {
  const { filter } = FIRST_VIEW;
  switch (status) {
    case 'all':
      return FIRST_VIEW;
    case 'active':
    case 'inactive':
    case 'locked':
      return { ...FIRST_VIEW, filter: { ...filter, state: status } };
    case 'assigned':
    case 'unassigned':
      return { ...FIRST_VIEW, filter: { ...filter, owner: status } };
    default:
      return undefined;
  }
}

/** All tokens that the caller may see, page by page. */
export default function TokensPage(): ReactNode {
  const t = useTexts(texts);
  const queries = useQueryClient();
  const named = viewWith(useNames('status').status);
  const [view, setView] = useState(() => named ?? queries.getQueryData<View>(LAST_VIEW) ?? FIRST_VIEW);
  useEffect(() => {
    queries.setQueryDefaults(LAST_VIEW, { gcTime: Infinity });
    queries.setQueryData(LAST_VIEW, view);
  }, [queries, view]);
  const { filter, cursors } = view;
  const turnTo = (pages: readonly string[]): void => {
    setView({ filter, cursors: pages });
  };
  const cursor = cursors.at(-1) ?? '';
  const status = [filter.state, filter.owner].filter((one) => one !== '').join(',');
  const sheet = useQuery({
    queryKey: ['helpdesk', 'tokens', filter, cursor],
    queryFn: async ({ signal }) => ({
      ...(await call(
        '/admin/tokens',
        { serial: filter.serial, realm: filter.realm, status, cursor },
        { signal },
      )),
      page: cursors.length,
    }),
    placeholderData: keepPreviousData,
  });
  useBeginning(sheet.data?.page);
  return (
    <Page title={t.title}>
      <Filters
        filter={filter}
        onChange={(changed) => {
          setView({ filter: changed, cursors: [''] });
        }}
      />
      <Loaded query={sheet}>
        {(shown) => (
          <>
            <TokenTable tokens={shown.tokens} />
            <Turning
              sheet={shown}
              isFirst={cursors.length === 1}
              onBack={() => {
                turnTo(cursors.slice(0, -1));
              }}
              onNext={(next) => {
                // The cursor of the next page is not known before this one is.
                if (!sheet.isPlaceholderData) {
                  turnTo([...cursors, next]);
                }
              }}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

/** Shows the beginning of a page that was turned to. */
function useBeginning(page: number | undefined): void {
  const shown = useRef(page);
  useEffect(() => {
    if (shown.current !== undefined && shown.current !== page) {
      scrollTo({ top: 0 });
    }
    shown.current = page;
  }, [page]);
}

interface FiltersProps {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

function Filters({ filter, onChange }: FiltersProps): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  const session = useSession();
  const choices = (words: Readonly<Record<string, string>>): { value: string; label: string }[] => [
    { value: '', label: t.any },
    ...Object.entries(words).map(([value, label]) => ({ value, label })),
  ];
  return (
    <search className={classes.filters}>
      <TextInput
        label={t.serial}
        autoComplete="off"
        spellCheck={false}
        value={filter.serial}
        onChange={(event) => {
          onChange({ ...filter, serial: event.currentTarget.value });
        }}
      />
      <RealmSelect
        right="show"
        none={t.allRealms}
        others={
          mayOnToken(session, 'show', { realms: [] }) ? [{ value: NO_REALM, label: names.noRealm }] : []
        }
        value={filter.realm}
        onChange={(realm) => {
          onChange({ ...filter, realm });
        }}
      />
      <NativeSelect
        label={names.state}
        value={filter.state}
        data={choices(t.states)}
        onChange={(event) => {
          onChange({ ...filter, state: event.currentTarget.value as Filter['state'] });
        }}
      />
      <NativeSelect
        label={names.owner}
        value={filter.owner}
        data={choices(t.owners)}
        onChange={(event) => {
          onChange({ ...filter, owner: event.currentTarget.value as Filter['owner'] });
        }}
      />
    </search>
  );
}

function TokenTable({ tokens }: Pick<Sheet, 'tokens'>): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  if (tokens.length === 0) {
    return <p className={classes.quiet}>{t.none}</p>;
  }
  return (
    <RecordTable
      label={t.title}
      columns={[
        [names.serial, ({ serial }) => <Anchor href={`#${tokenAddress(serial)}`}>{serial}</Anchor>],
        [names.owner, ({ owner }) => <OwnerCell owner={owner} />],
        [names.realms, ({ realms }) => realms.join(', ')],
        [names.state, (token) => <TokenBadge token={token} />],
      ]}
      rows={tokens}
      keyOf={({ serial }) => serial}
    />
  );
}

function OwnerCell({ owner }: { readonly owner: Sheet['tokens'][number]['owner'] }): ReactNode {
  if (owner === null) {
    return '–';
  }
  const { user, realm, resolver } = owner;
  return realm === null ? (
    user
  ) : (
    <Anchor href={`#${personAddress({ user, realm, resolver })}`}>{user}</Anchor>
  );
}

interface TurningProps {
  readonly sheet: Sheet;
  readonly isFirst: boolean;
  readonly onBack: () => void;
  readonly onNext: (cursor: string) => void;
}

function Turning({ sheet: { next, total, page }, isFirst, onBack, onNext }: TurningProps): ReactNode {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <div className={classes.actions}>
      <Button variant="default" size="xs" disabled={isFirst} onClick={onBack}>
        {t.back}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        onClick={() => {
          onNext(next ?? '');
        }}
      >
        {t.next}
      </Button>
      <span role="status">
        {t.page(format.number(page))}
        {total !== null && ` · ${t.total(format.number(total))}`}
      </span>
    </div>
  );
}
