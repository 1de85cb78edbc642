import { Anchor, Button, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, skipToken, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
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
import { BulkBar, type Selection, useBulkActs, useSelection } from './bulk/bulk-bar.tsx';
import { bulkTexts } from './bulk/bulk-texts.ts';
import { isNamed, tokensOf } from './bulk/collect.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { tokensTexts } from './tokens-texts.ts';
import { FIRST_PAGE, pageIn, useOrder, useTyped, useView } from '../shell/use-view.ts';

type Person = ValueOf<'/admin/userlist'>[number];

interface PeopleTexts {
  readonly login: string;
  readonly name: string;
  readonly search: string;
  readonly none: string;
  readonly noRealm: string;
  readonly realms: string;
  readonly bulk: string;
}

const texts: Texts<PeopleTexts> = {
  en: {
    login: 'Login',
    name: 'Name',
    search: 'Text in login, name, e-mail or phone',
    none: 'Nobody matches.',
    noRealm: 'There is no realm whose people you may see.',
    realms: 'To the realms',
    bulk: 'Acts on people change all their tokens that you may see.',
  },
  de: {
    login: 'Benutzername',
    name: 'Name',
    search: 'Text in Benutzername, Name, E-Mail oder Telefon',
    none: 'Niemand passt.',
    noRealm: 'Es gibt keinen Realm, dessen Personen Sie sehen dürfen.',
    realms: 'Zu den Realms',
    bulk: 'Aktionen an Personen ändern alle ihre Token, die Sie sehen dürfen.',
  },
};

const PAGE_SIZE = 50;
/** The last text, in the memory of the page until the sign-out: names must not stay in the history of the browser. */
const LAST_TEXT = ['helpdesk', 'people-text'];

/** The people of a realm, whom its resolvers list at once. */
export default function PeoplePage(): ReactNode {
  const t = useTexts(texts);
  const names = useTexts(helpdeskTexts);
  const view = useView();
  const realms = useRealmsWith('userlist');
  const maySeeRealms = useSession().may('system', 'read');
  const realm = view.of('realm') || (realms[0] ?? '');
  const [search, setSearch] = useLastText();
  const people = useQuery({
    queryKey: ['helpdesk', 'people', realm, search],
    queryFn:
      realm === ''
        ? skipToken
        : ({ signal }) => callWithDetail('/admin/userlist', { realm, search }, { signal }),
    placeholderData: keepPreviousData,
  });
  const [typed, setTyped] = useTyped(search, (text) => {
    setSearch(text);
    view.change(FIRST_PAGE, { replaces: true });
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
        <p className={classes.quiet}>
          {t.noRealm} {maySeeRealms && <Anchor href="#/realms">{t.realms}</Anchor>}
        </p>
      ) : (
        <Loaded query={people}>
          {({ value, detail }) => (
            <>
              <CutNote detail={detail} />
              <PeopleTable people={value} realm={realm} search={search} isFormer={people.isPlaceholderData} />
            </>
          )}
        </Loaded>
      )}
    </Page>
  );
}

function useLastText(): readonly [string, (text: string) => void] {
  const queries = useQueryClient();
  const [text, setText] = useState(() => queries.getQueryData<string>(LAST_TEXT) ?? '');
  const change = (changed: string): void => {
    queries.setQueryDefaults(LAST_TEXT, { gcTime: Infinity });
    queries.setQueryData(LAST_TEXT, changed);
    setText(changed);
  };
  return [text, change];
}

/** Where the list ends before the last person. */
function CutNote({ detail }: { readonly detail: { readonly message: string } | undefined }): ReactNode {
  return detail !== undefined && <p className={classes.quiet}>{detail.message}</p>;
}

interface PeopleTableProps {
  readonly people: readonly Person[];
  readonly realm: string;
  readonly search: string;
  /** True while the people are those of a former filter. */
  readonly isFormer: boolean;
}

function PeopleTable({ people, realm, search, isFormer }: PeopleTableProps): ReactNode {
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
  const mayAct = useMayAct(realm);
  const marks = {
    nameOf: ({ username }: Person) => bulk.select(username),
    isPossible: (person: Person) => !isFormer && isSelectable(person),
    has: (key: string) => selection.selected.isAll || selection.selected.keys.has(key),
    onMark: selection.onMark,
  };
  if (people.length === 0) {
    return <p className={classes.quiet}>{t.none}</p>;
  }
  const rows = column === undefined ? people : sortRows(people, column, { ...order, language });
  const page = Math.min(pageIn(view.of('page')), Math.ceil(rows.length / PAGE_SIZE));
  const shown = rows.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE);
  return (
    <>
      <div className={classes.tools}>
        <OrderChoice columns={columns} order={order} onChange={order.choose} />
        {choice}
      </div>
      {mayAct && (
        <PeopleActs rows={rows} page={shown} realm={realm} selection={selection} isFormer={isFormer} />
      )}
      <RecordTable
        label={names.people}
        columns={columns.map(({ key, name, value, cell }) => [name, cell ?? value, key] as const)}
        rows={shown}
        keyOf={keyOf}
        order={order}
        selection={mayAct ? marks : undefined}
      />
      <PageTurns page={page} total={rows.length} isFormer={isFormer}>
        <SaveCsvButton
          name="people"
          columns={columns}
          read={() => Promise.resolve(rows)}
          isDisabled={isFormer}
        />
      </PageTurns>
    </>
  );
}

interface PeopleActsProps {
  readonly rows: readonly Person[];
  readonly page: readonly Person[];
  readonly realm: string;
  readonly selection: Selection;
  readonly isFormer: boolean;
}

/** @returns true for those who may see tokens and act on them */
function useMayAct(realm: string): boolean {
  const maySeeTokens = useSession().may('admin', 'show', realm);
  return useBulkActs().length > 0 && maySeeTokens;
}

/** @returns false for a person whose tokens no login tells from those of others */
function isSelectable({ username }: Person): boolean {
  return isNamed(username);
}

/** The acts on the tokens of the selected people. */
function PeopleActs({ rows, page, realm, selection, isFormer }: PeopleActsProps): ReactNode {
  const t = useTexts(texts);
  const { isAll, keys } = selection.selected;
  const named = rows.filter(isSelectable);
  const chosen = isAll ? named : named.filter((person) => keys.has(keyOf(person)));
  const users = chosen.map((person) => ({
    user: person.username,
    user_realm: realm,
    user_resolver: resolverOf(person),
  }));
  return (
    <>
      <BulkBar
        selection={selection}
        page={page.filter(isSelectable).map(keyOf)}
        total={named.length}
        collect={tokensOf(users)}
        isDisabled={isFormer}
      />
      <p className={classes.quiet}>{t.bulk}</p>
    </>
  );
}

interface PageTurnsProps {
  readonly page: number;
  readonly total: number;
  readonly isFormer: boolean;
  readonly children: ReactNode;
}

function PageTurns({ page, total, isFormer, children }: PageTurnsProps): ReactNode {
  const t = useTexts(tokensTexts);
  const format = useFormat();
  const view = useView();
  const turn = (to: number, name: string, isPossible: boolean): ReactNode => (
    <Button
      variant="default"
      size="xs"
      disabled={isFormer || !isPossible}
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
        maySeeTokens && isNamed(person.username) ? (
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
