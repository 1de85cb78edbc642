import { Alert, Anchor, Button, NativeSelect, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef } from 'react';
import { call, type ParametersOf, type ValueOf } from '../api/call.ts';
import { Failure } from '../design/failure.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { RecordTable, type RowOrder } from '../design/record-table.tsx';
import {
  OrderChoice,
  SaveCsvButton,
  sortRows,
  type TableColumn,
  useColumns,
} from '../design/table-columns.tsx';
import { useFormat } from '../language/format.ts';
import { useLanguage, useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { tokenAddress } from './addresses.ts';
import { BulkBar, useBulkActs, useSelection } from './bulk/bulk-bar.tsx';
import type { ListedToken } from './bulk/bulk-foresight.ts';
import { bulkTexts } from './bulk/bulk-texts.ts';
import { type Collect, matching, MAX_BULK } from './bulk/collect.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { RealmSelect } from './realm-select.tsx';
import { TokenBadge } from './token-badge.tsx';
import { Owner } from './token-owner.tsx';
import { mayOnToken, stateOf } from './token-state.ts';
import { tokenTexts } from './token-texts.ts';
import { tokensTexts } from './tokens-texts.ts';
import { FIRST_PAGE, pageIn, useOrder, useTyped, useView } from '../shell/use-view.ts';

type Sheet = ValueOf<'/admin/token/list'> & {
  /** From 1. */
  readonly page: number;
};
type Filter = ParametersOf<'/admin/token/list'>;

const PAGE_SIZE = 50;
/** The longest list that is sorted by other columns than the serial: all of it is read for that. */
const MAX_SORTED = 200;
/** The name for tokens in no realm, as the server writes it. */
const NO_REALM = '/:no realm:/';

/** All tokens that the caller may see, page by page. */
export default function TokensPage(): ReactNode {
  const t = useTexts(tokensTexts);
  const view = useView();
  const { shown: columns, choice } = useColumns('tokens', useTokenColumns());
  const order = useOrder('serial');
  const filter = filterOf(view, order, columns);
  const cursor = view.of('after');
  const number = pageIn(view.of('page'));
  const isToSort = order.by !== 'serial' && cursor === '';
  const request = { ...filter, limit: String(isToSort ? MAX_SORTED : PAGE_SIZE), cursor };
  const sheet = useQuery({
    queryKey: ['helpdesk', 'tokens', request],
    queryFn: async ({ signal }) => ({
      ...cutToPage(await call('/admin/token/list', request, { signal })),
      page: number,
    }),
    placeholderData: keepPreviousData,
  });
  useBeginning(sheet.data?.page);
  const { isPlaceholderData: isFormer } = sheet;
  const save = (
    <SaveCsvButton name="tokens" columns={columns} read={matching(filter)} isDisabled={isFormer} />
  );
  return (
    <Page title={t.title} actions={<NewTokenButton />}>
      <Filters />
      <div className={classes.tools}>
        <OrderChoice columns={columns} order={order} onChange={order.choose} />
        {choice}
      </div>
      <Loaded query={sheet}>
        {(shown) =>
          shown.tokens.length === 0 && cursor === '' ? (
            <NoTokens filter={filter} />
          ) : (
            <SheetPart
              sheet={shown}
              request={request}
              columns={columns}
              order={order}
              save={save}
              isFormer={isFormer}
              onNext={(next) => {
                view.change({ after: next, page: String(number + 1) });
              }}
            />
          )
        }
      </Loaded>
    </Page>
  );
}

function NewTokenButton(): ReactNode {
  const t = useTexts(tokensTexts);
  return (
    useSession().mayEverywhere('admin', 'init') && (
      <Button component="a" href="#/enrol">
        {t.enrol}
      </Button>
    )
  );
}

/** Says why the list is empty. */
function NoTokens({ filter: { serial, realm, status } }: { readonly filter: Filter }): ReactNode {
  const t = useTexts(tokensTexts);
  const isFiltered = [serial, realm, status].some((one) => one !== '');
  return <p className={classes.quiet}>{isFiltered ? t.none : t.noneYet}</p>;
}

/** @returns the first page of a list that is too long to be sorted */
function cutToPage(read: ValueOf<'/admin/token/list'>): ValueOf<'/admin/token/list'> {
  const tokens = read.tokens.slice(0, PAGE_SIZE);
  return read.next === null ? read : { ...read, tokens, next: tokens.at(-1)?.serial ?? null };
}

function filterOf(
  { of }: Pick<ReturnType<typeof useView>, 'of'>,
  { by, isDescending }: Pick<RowOrder, 'by' | 'isDescending'>,
  columns: readonly { readonly key: string }[],
): Filter {
  return {
    serial: of('serial'),
    realm: of('realm'),
    status: [of('state'), of('owner')].filter((one) => one !== '').join(','),
    order: by === 'serial' && isDescending ? 'desc' : 'asc',
    names: columns.some(({ key }) => key === 'name') ? '1' : '',
  };
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

function useTokenColumns(): readonly TableColumn<ListedToken>[] {
  const names = useTexts(helpdeskTexts);
  const own = useTexts(tokenTexts);
  const t = useTexts(tokensTexts);
  const format = useFormat();
  const maySeeNames = useSession().may('admin', 'userlist');
  return [
    {
      key: 'serial',
      name: names.serial,
      isFixed: true,
      value: ({ serial }) => serial,
      cell: ({ serial }) => <Anchor href={`#${tokenAddress(serial)}`}>{serial}</Anchor>,
    },
    {
      key: 'owner',
      name: names.owner,
      value: ({ owner }) => owner?.login ?? '',
      cell: (token) => (token.owner === null ? '–' : <Owner token={token} />),
    },
    ...(maySeeNames
      ? [
          {
            key: 'name',
            name: t.ownerName,
            isExtra: true,
            value: ({ owner_name: name }: ListedToken) => name ?? '',
          },
        ]
      : []),
    { key: 'description', name: names.description, isExtra: true, value: ({ description }) => description },
    { key: 'realms', name: names.realms, value: ({ realms }) => realms.join(', ') },
    {
      key: 'state',
      name: names.state,
      value: (token) => names.states[stateOf(token)],
      cell: (token) => <TokenBadge token={token} />,
    },
    {
      key: 'used',
      name: t.lastUse,
      value: ({ last_success_at: at }) => at ?? '',
      cell: ({ last_success_at: at }) => (at === null ? names.never : format.time(at)),
    },
    {
      key: 'created',
      name: own.created,
      isExtra: true,
      value: ({ created_at: at }) => at,
      cell: ({ created_at: at }) => format.time(at),
    },
  ];
}

function Filters(): ReactNode {
  const t = useTexts(tokensTexts);
  const names = useTexts(helpdeskTexts);
  const session = useSession();
  const view = useView();
  const [serial, setSerial] = useTyped(view.of('serial'), (typed) => {
    view.change({ serial: typed, ...FIRST_PAGE }, { replaces: true });
  });
  const choose = (name: string, value: string): void => {
    view.change({ [name]: value, ...FIRST_PAGE });
  };
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
        value={serial}
        onChange={(event) => {
          setSerial(event.currentTarget.value);
        }}
      />
      <RealmSelect
        right="show"
        none={t.allRealms}
        others={
          mayOnToken(session, 'show', { realms: [] }) ? [{ value: NO_REALM, label: names.noRealm }] : []
        }
        value={view.of('realm')}
        onChange={(realm) => {
          choose('realm', realm);
        }}
      />
      <NativeSelect
        label={names.state}
        value={view.of('state')}
        data={choices(t.states)}
        onChange={(event) => {
          choose('state', event.currentTarget.value);
        }}
      />
      <NativeSelect
        label={names.owner}
        value={view.of('owner')}
        data={choices(t.owners)}
        onChange={(event) => {
          choose('owner', event.currentTarget.value);
        }}
      />
    </search>
  );
}

interface SheetPartProps {
  readonly sheet: Sheet;
  readonly request: Filter;
  readonly columns: readonly TableColumn<ListedToken>[];
  readonly order: RowOrder;
  readonly save: ReactNode;
  /** True while the rows are those of a former filter or page. */
  readonly isFormer: boolean;
  readonly onNext: (cursor: string) => void;
}

function SheetPart({ sheet, request, columns, order, ...turning }: SheetPartProps): ReactNode {
  const t = useTexts(tokensTexts);
  const bulk = useTexts(bulkTexts);
  const language = useLanguage();
  const selection = useSelection(JSON.stringify(request));
  const mayAct = useBulkActs().length > 0;
  const { keys, isAll } = selection.selected;
  const isWhole = request.cursor === '' && sheet.next === null;
  const column = columns.find(({ key }) => key === order.by && key !== 'serial');
  const tokens =
    isWhole && column !== undefined ? sortRows(sheet.tokens, column, { ...order, language }) : sheet.tokens;
  const all = matching({ ...request, names: '' }, MAX_BULK);
  return (
    <>
      {!isWhole && column !== undefined && (
        <Alert color="yellow" role="status">
          {t.notSorted(column.name, MAX_SORTED)}
        </Alert>
      )}
      <BulkBar
        selection={selection}
        page={tokens.map(({ serial }) => serial)}
        total={totalOf(sheet, isWhole)}
        collect={isAll ? all : shownTokens(request, tokens, keys)}
        isDisabled={turning.isFormer}
      />
      <RecordTable
        label={t.title}
        columns={columns.map(({ key, name, value, cell }) => [name, cell ?? value, key] as const)}
        rows={tokens}
        keyOf={({ serial }) => serial}
        order={order}
        selection={
          mayAct
            ? {
                nameOf: ({ serial }) => bulk.select(serial),
                isPossible: () => !turning.isFormer,
                has: (key) => isAll || keys.has(key),
                onMark: selection.onMark,
              }
            : undefined
        }
      />
      <Turning sheet={sheet} request={request} {...turning} />
    </>
  );
}

/** @returns the number of all that match; undefined: not known */
function totalOf({ total, tokens }: Sheet, isWhole: boolean): number | undefined {
  return total ?? (isWhole ? tokens.length : undefined);
}

/** Reads the selected tokens of a page anew: what follows is told from what they are now. */
function shownTokens(request: Filter, shown: readonly ListedToken[], keys: ReadonlySet<string>): Collect {
  return async (signal) => {
    const { tokens } = await call('/admin/token/list', { ...request, names: '' }, { signal });
    const now = new Map(tokens.map((token) => [token.serial, token]));
    return shown.filter(({ serial }) => keys.has(serial)).map((token) => now.get(token.serial) ?? token);
  };
}

type TurningProps = Pick<SheetPartProps, 'sheet' | 'request' | 'save' | 'isFormer' | 'onNext'>;

/** The buttons keep the focus while a page is read; what they lead to is not known before it is. */
function Turning({ sheet, request, save, isFormer, onNext }: TurningProps): ReactNode {
  const { tokens, next, total, page } = sheet;
  const t = useTexts(tokensTexts);
  const format = useFormat();
  const view = useView();
  const back = useMutation({
    gcTime: 0,
    mutationFn: () => cursorBefore(request, tokens[0]?.serial ?? request.cursor ?? ''),
    onSuccess: (after) => {
      view.change(after === '' ? FIRST_PAGE : { after, page: String(Math.max(page - 1, 2)) });
    },
  });
  return (
    <div className={classes.actions}>
      <Button
        variant="default"
        size="xs"
        disabled={request.cursor === '' || back.isPending}
        aria-disabled={isFormer}
        onClick={() => {
          if (!isFormer) {
            back.mutate();
          }
        }}
      >
        {t.back}
      </Button>
      <Button
        variant="default"
        size="xs"
        disabled={next === null}
        aria-disabled={isFormer}
        onClick={() => {
          if (!isFormer) {
            onNext(next ?? '');
          }
        }}
      >
        {t.next}
      </Button>
      <span role="status">
        {t.page(format.number(page))}
        {total !== null && ` · ${t.total(format.number(total))}`}
      </span>
      {save}
      <Failure error={back.error} />
    </div>
  );
}

/**
 * Reads the page before in the other direction: no cursors of earlier pages are in the address.
 * @returns the cursor of the page before the one that begins with a serial; empty: that of the first page
 */
async function cursorBefore(request: Filter, first: string): Promise<string> {
  const before = await call('/admin/token/list', {
    ...request,
    names: '',
    limit: String(PAGE_SIZE + 1),
    cursor: first,
    order: request.order === 'desc' ? 'asc' : 'desc',
  });
  return before.tokens[PAGE_SIZE]?.serial ?? '';
}
