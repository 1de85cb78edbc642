import { Anchor, Button, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, skipToken, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { callWithDetail, type ValueOf } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { RecordTable } from '../design/record-table.tsx';
import {
  OrderChoice,
  SaveCsvButton,
  sortRows,
  type TableColumn,
  useColumns,
} from '../design/table-columns.tsx';
import { useFormat } from '../language/format.ts';
import { type Texts, useLanguage, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { useRealmsWith } from '../session/use-realms-with.ts';
import { personAddress } from './addresses.ts';
import { BulkBar, type Selection, useSelection } from './bulk/bulk-bar.tsx';
import { bulkTexts } from './bulk/bulk-texts.ts';
import { tokensOf } from './bulk/collect.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { tokensTexts } from './tokens-texts.ts';
import { FIRST_PAGE, useOrder, useTyped, useView } from '../shell/use-view.ts';

type Person = ValueOf<'/admin/userlist'>[number];

interface PeopleTexts {
  readonly login: string;
  readonly name: string;
  readonly search: string;
  readonly none: string;
  readonly noRealm: string;
  readonly bulk: string;
}

const texts: Texts<PeopleTexts> = {
  en: {
    login: 'Login',
    name: 'Name',
    search: 'Text in login, name, e-mail or phone',
    none: 'Nobody matches.',
    noRealm: 'There is no realm whose people you may see.',
    bulk: 'Acts on people change all their tokens that you may see.',
  },
  de: {
    login: 'Benutzername',
    name: 'Name',
    search: 'Text in Benutzername, Name, E-Mail oder Telefon',
    none: 'Niemand passt.',
    noRealm: 'Es gibt keinen Realm, dessen Personen Sie sehen dürfen.',
    bulk: 'Aktionen an Personen ändern alle ihre Token, die Sie sehen dürfen.',
  },
};

const PAGE_SIZE = 50;

/** The people of a realm, whom its resolvers list at once. */
export default function PeoplePage(): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  const view = useView();
  const realms = useRealmsWith('userlist');
  const realm = view.of('realm') || (realms[0] ?? '');
  const search = view.of('text');
  const people = useQuery({
    queryKey: ['helpdesk', 'people', realm, search],
    queryFn:
      realm === ''
        ? skipToken
        : ({ signal }) => callWithDetail('/admin/userlist', { realm, search }, { signal }),
    placeholderData: keepPreviousData,
  });
  const [typed, setTyped] = useTyped(search, (text) => {
    view.change({ text, ...FIRST_PAGE }, { replaces: true });
  });
  return (
    <Page title={names.people}>
      <search className={classes.filters}>
        <TextInput
          type="search"
          label={t.search}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => {
            setTyped(event.currentTarget.value);
          }}
        />
        <NativeSelect
          label={names.realm}
          data={[...new Set([...realms, realm])].filter((name) => name !== '')}
          value={realm}
          onChange={(event) => {
            view.change({ realm: event.currentTarget.value, ...FIRST_PAGE });
          }}
        />
      </search>
      {realm === '' ? (
        <p className={classes.quiet}>{t.noRealm}</p>
      ) : (
        <Loaded query={people}>
          {({ value, detail }) => (
            <>
              <CutNote detail={detail} />
              <PeopleTable people={value} realm={realm} search={search} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

/** Where the list ends before the last person. */
function CutNote({ detail }: { readonly detail: { readonly message: string } | undefined }): ReactNode {
  return detail !== undefined && <p className={classes.quiet}>{detail.message}</p>;
}

interface PeopleTableProps {
  readonly people: readonly Person[];
  readonly realm: string;
  readonly search: string;
}

function PeopleTable({ people, realm, search }: PeopleTableProps): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  const bulk = useTexts(bulkTexts);
  const language = useLanguage();
  const view = useView();
  const order = useOrder('login');
  const selection = useSelection(`${realm} ${search}`);
  const all = usePeopleColumns(realm);
  const { shown: columns, choice } = useColumns('people', all);
  const column = all.find(({ key }) => key === order.by);
  const maySeeTokens = useSession().may('admin', 'show', realm);
  const marks = {
    nameOf: ({ username }: Person) => bulk.select(username),
    has: (key: string) => selection.selected.isAll || selection.selected.keys.has(key),
    onMark: selection.onMark,
  };
  if (people.length === 0) {
    return <p className={classes.quiet}>{t.none}</p>;
  }
  const rows = column === undefined ? people : sortRows(people, column, { ...order, language });
  const page = Math.min(Number(view.of('page')) || 1, Math.ceil(rows.length / PAGE_SIZE));
  const shown = rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return (
    <>
      <div className={classes.tools}>
        <OrderChoice columns={columns} order={order} onChange={order.choose} />
        {choice}
      </div>
      <PeopleActs rows={rows} page={shown} realm={realm} selection={selection} />
      <RecordTable
        label={names.people}
        columns={columns.map(({ key, name, value, cell }) => [name, cell ?? value, key] as const)}
        rows={shown}
        keyOf={keyOf}
        order={order}
        selection={maySeeTokens ? marks : undefined}
      />
      <PageTurns page={page} total={rows.length}>
        <SaveCsvButton name="people" columns={columns} read={() => Promise.resolve(rows)} />
      </PageTurns>
    </>
  );
}

interface PeopleActsProps {
  readonly rows: readonly Person[];
  readonly page: readonly Person[];
  readonly realm: string;
  readonly selection: Selection;
}

/** The acts on the tokens of the selected people, for those who may see tokens. */
function PeopleActs({ rows, page, realm, selection }: PeopleActsProps): ReactNode {
  const t = useTexts(texts);
  const maySeeTokens = useSession().may('admin', 'show', realm);
  const { isAll, keys } = selection.selected;
  const chosen = isAll ? rows : rows.filter((person) => keys.has(keyOf(person)));
  const users = chosen.map((person) => ({
    user: person.username,
    userrealm: realm,
    resconf: resolverOf(person),
  }));
  return (
    maySeeTokens && (
      <>
        <BulkBar selection={selection} page={page.map(keyOf)} total={rows.length} collect={tokensOf(users)} />
        <p className={classes.quiet}>{t.bulk}</p>
      </>
    )
  );
}

interface PageTurnsProps {
  readonly page: number;
  readonly total: number;
  readonly children: ReactNode;
}

function PageTurns({ page, total, children }: PageTurnsProps): ReactNode {
  const t = useTexts(tokensTexts);
  const format = useFormat();
  const view = useView();
  const turn = (to: number, name: string, isPossible: boolean): ReactNode => (
    <Button
      variant="default"
      size="xs"
      disabled={!isPossible}
      onClick={() => {
        view.change({ page: String(to) });
      }}
    >
      {name}
    </Button>
  );
  return (
    <div className={classes.actions}>
      {turn(page - 1, t.back, page > 1)}
      {turn(page + 1, t.next, page * PAGE_SIZE < total)}
      <span role="status">{`${t.page(format.number(page))} · ${t.total(format.number(total))}`}</span>
      {children}
    </div>
  );
}

function usePeopleColumns(realm: string): readonly TableColumn<Person>[] {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  const maySeeTokens = useSession().may('admin', 'show', realm);
  return [
    {
      key: 'login',
      name: t.login,
      isFixed: true,
      value: ({ username }) => username,
      cell: (person) =>
        maySeeTokens ? (
          <Anchor href={`#${personAddress({ user: person.username, realm, resolver: resolverOf(person) })}`}>
            {person.username}
          </Anchor>
        ) : (
          person.username
        ),
    },
    {
      key: 'name',
      name: t.name,
      value: ({ givenname, surname }) => `${givenname} ${surname}`.trim(),
    },
    { key: 'email', name: names.email, value: ({ email }) => email },
    { key: 'phone', name: names.phone, isExtra: true, value: ({ phone }) => phone },
    { key: 'resolver', name: names.resolver, isExtra: true, value: resolverOf },
  ];
}

function keyOf({ useridresolver, userid }: Person): string {
  return `${useridresolver} ${userid}`;
}

/** @returns the name of the resolver, without the class before it */
function resolverOf({ useridresolver }: Person): string {
  return useridresolver.replace(/^useridresolver\.\w+\.IdResolver\./, '');
}
