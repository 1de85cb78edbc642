import { Anchor, Button, NativeSelect, Table, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { call, type ValueOf } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useFormat } from '../language/format.ts';
import { type Texts, useTexts } from '../language/language.ts';
import { personAddress, tokenAddress } from './addresses.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { TokenBadge } from './token-badge.tsx';
import { useSearchKey } from './use-search-key.ts';

type Sheet = ValueOf<'/admin/tokens'>;

interface Filter {
  readonly serial: string;
  readonly realm: string;
  readonly state: '' | 'active' | 'inactive' | 'locked';
  readonly owner: '' | 'assigned' | 'unassigned';
}

interface TokensTexts {
  readonly title: string;
  readonly serial: string;
  readonly realmHelp: string;
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
    realmHelp: 'All',
    any: 'any',
    states: { active: 'active', inactive: 'disabled', locked: 'locked' },
    owners: { assigned: 'somebody', unassigned: 'nobody' },
    none: 'No token is like this.',
    back: 'Back',
    next: 'Further',
    total: (count) => `${count} in all`,
    page: (number) => `Page ${number}`,
  },
  de: {
    title: 'Token',
    serial: 'Anfang der Seriennummer',
    realmHelp: 'Alle',
    any: 'beliebig',
    states: { active: 'aktiv', inactive: 'deaktiviert', locked: 'gesperrt' },
    owners: { assigned: 'jemand', unassigned: 'niemand' },
    none: 'Kein Token passt dazu.',
    back: 'Zurück',
    next: 'Weiter',
    total: (count) => `${count} insgesamt`,
    page: (number) => `Seite ${number}`,
  },
};

/** What the table shows. */
interface View {
  readonly filter: Filter;
  /** The cursors of the pages up to this one. */
  readonly cursors: readonly string[];
}

const FIRST_VIEW: View = { filter: { serial: '', realm: '', state: '', owner: '' }, cursors: [''] };
/** The last view, in the memory of the page until the sign-out, for the way back from a token. */
const LAST_VIEW = ['helpdesk', 'view of tokens'];

/** All tokens that the caller may see, page by page. */
export default function TokensPage(): ReactNode {
  const t = useTexts(texts);
  useSearchKey();
  const queries = useQueryClient();
  const [view, setView] = useState(() => queries.getQueryData<View>(LAST_VIEW) ?? FIRST_VIEW);
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
    queryFn: ({ signal }) =>
      call('/admin/tokens', { serial: filter.serial, realm: filter.realm, status, cursor }, { signal }),
    placeholderData: keepPreviousData,
  });
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
              page={cursors.length}
              onBack={() => {
                turnTo(cursors.slice(0, -1));
              }}
              onNext={(next) => {
                turnTo([...cursors, next]);
              }}
            />
          </>
        )}
      </Loaded>
    </Page>
  );
}

interface FiltersProps {
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

function Filters({ filter, onChange }: FiltersProps): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
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
      <RealmField
        realm={filter.realm}
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

/** Takes the realm when it is typed: the beginning of one is the name of none. */
function RealmField({
  realm,
  onChange,
}: {
  readonly realm: string;
  readonly onChange: (realm: string) => void;
}): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  const [text, setText] = useState(realm);
  return (
    <TextInput
      label={names.realm}
      placeholder={t.realmHelp}
      autoComplete="off"
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
      }}
      onBlur={() => {
        onChange(text.trim());
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter') {
          onChange(text.trim());
        }
      }}
    />
  );
}

function TokenTable({ tokens }: Pick<Sheet, 'tokens'>): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  if (tokens.length === 0) {
    return <p className={classes.quiet}>{t.none}</p>;
  }
  return (
    <Table.ScrollContainer minWidth={0} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            {[names.serial, names.owner, names.realms, names.state].map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {tokens.map((token) => (
            <Table.Tr key={token.serial}>
              <Table.Td>
                <Anchor href={`#${tokenAddress(token.serial)}`}>{token.serial}</Anchor>
              </Table.Td>
              <Table.Td>
                <OwnerCell owner={token.owner} />
              </Table.Td>
              <Table.Td>{token.realms.join(', ')}</Table.Td>
              <Table.Td>
                <TokenBadge token={token} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
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
  /** From 1. */
  readonly page: number;
  readonly onBack: () => void;
  readonly onNext: (cursor: string) => void;
}

function Turning({ sheet: { next, total }, page, onBack, onNext }: TurningProps): ReactNode {
  const t = useTexts(texts);
  const format = useFormat();
  return (
    <div className={classes.actions}>
      <Button variant="default" size="xs" disabled={page === 1} onClick={onBack}>
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
