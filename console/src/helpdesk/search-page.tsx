import { Alert, Anchor, Badge, TextInput, VisuallyHidden } from '@mantine/core';
import {
  keepPreviousData,
  skipToken,
  useQuery,
  useQueryClient,
  type UseQueryResult,
} from '@tanstack/react-query';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { useLocation } from 'wouter';
import { call, type ValueOf } from '../api/call.ts';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { useLanguage, useTexts } from '../language/language.ts';
import { type ConsolePage, PagesContext } from '../shell/console-page.ts';
import { SEARCH_FIELD } from '../shell/use-search-key.ts';
import { type Session, useSession } from '../session/session.tsx';
import { personAddress, tokenAddress, transactionAddress } from './addresses.ts';
import classes from './helpdesk.module.css';
import { helpdeskTexts } from './helpdesk-texts.ts';
import { TokenBadge, TransactionBadge } from './token-badge.tsx';

type Found = ValueOf<'/admin/helpdesk/search'>;

/** Milliseconds without a key after which the text is looked for. */
const PAUSE_MS = 250;
/** The last text, in the memory of the page until the sign-out. */
const LAST_TEXT = ['helpdesk', 'text'];

/** The start page of the helpdesk: one field for people, tokens and transactions. */
export default function SearchPage(): ReactNode {
  const t = useTexts(helpdeskTexts);
  const queries = useQueryClient();
  const session = useSession();
  const [, navigate] = useLocation();
  const field = useFirstFocus();
  const [text, setText] = useState(() => queries.getQueryData<string>(LAST_TEXT) ?? '');
  const searched = useLater(text.trim());
  useEffect(() => {
    queries.setQueryDefaults(LAST_TEXT, { gcTime: Infinity });
    queries.setQueryData(LAST_TEXT, searched);
  }, [queries, searched]);
  const found = useFound(searched);
  const isFound = searched !== '' && !found.isPlaceholderData;
  const hits = isFound ? found.data : undefined;
  const pages = usePagesNamed(searched);
  return (
    <Page title={t.search}>
      <div className={classes.searching} onKeyDown={moveByArrows}>
        <TextInput
          id={SEARCH_FIELD}
          ref={field}
          type="search"
          size="md"
          aria-label={t.search}
          description={t.searchHint}
          inputWrapperOrder={['input', 'description']}
          autoComplete="off"
          spellCheck={false}
          maxLength={255}
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            const [only, another] =
              searched === text.trim()
                ? [...addressesOf(hits, session), ...pages.map(({ path }) => path)]
                : [];
            if (event.key === 'Enter' && only !== undefined && another === undefined) {
              navigate(only);
            }
          }}
        />
        <Count found={hits} pages={pages.length} />
        {searched !== '' && (
          <Loaded query={found}>
            {(shown) => <Hits found={shown} text={searched} isOver={isFound && pages.length === 0} />}
          </Loaded>
        )}
        <PageHits pages={pages} />
      </div>
    </Page>
  );
}

function useFound(text: string): UseQueryResult<Found> {
  return useQuery({
    queryKey: ['helpdesk', 'search', text],
    queryFn: text === '' ? skipToken : ({ signal }) => call('/admin/helpdesk/search', { text }, { signal }),
    // What was found before stays until the answer is there.
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
}

/** The number of hits, read aloud. */
function Count({ found, pages }: { readonly found: Found | undefined; readonly pages: number }): ReactNode {
  const t = useTexts(helpdeskTexts);
  return (
    <VisuallyHidden role="status">{found !== undefined && t.found(countOf(found) + pages)}</VisuallyHidden>
  );
}

/** @returns the field that has the focus at first, with its text selected */
function useFirstFocus(): RefObject<HTMLInputElement | null> {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);
  return field;
}

/** Moves the focus by the arrows up and down, from the field through the links of the hits and back. */
function moveByArrows(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) {
    return;
  }
  const places = [...event.currentTarget.querySelectorAll<HTMLElement>('input, a')];
  const next = places[places.findIndex((place) => place === document.activeElement) + step];
  if (next !== undefined) {
    event.preventDefault();
    next.focus();
  }
}

/** @returns the text as it was when nothing was typed for a moment */
function useLater(text: string): string {
  const [later, setLater] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => {
      setLater(text);
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [text]);
  return later;
}

function countOf({ people, tokens, transactions }: Found): number {
  return (people?.hits.length ?? 0) + (tokens?.hits.length ?? 0) + (transactions?.length ?? 0);
}

/** @returns the addresses of the pages of all hits */
function addressesOf(found: Found | undefined, session: Session): readonly string[] {
  const { people, tokens, transactions } = found ?? {};
  return [
    ...(people?.hits ?? []).flatMap((person) => personPage(person, session) ?? []),
    ...(tokens?.hits ?? []).map(({ serial }) => tokenAddress(serial)),
    ...(transactions ?? []).map(({ transaction_id: id }) => transactionAddress(id)),
  ];
}

type PersonHit = NonNullable<Found['people']>['hits'][number];

/** @returns the address of the person's page; undefined for a caller who may not see tokens there */
function personPage({ login: user, realms, resolver }: PersonHit, session: Session): string | undefined {
  const realm = realms.find((name) => session.may('admin', 'show', name));
  return realm === undefined ? undefined : personAddress({ user, realm, resolver });
}

interface HitsProps {
  readonly found: Found;
  readonly text: string;
  /** True where nothing else is shown, or still looked for. */
  readonly isOver: boolean;
}

function Hits({ found, text, isOver }: HitsProps): ReactNode {
  const t = useTexts(helpdeskTexts);
  const { people, tokens, transactions } = found;
  return (
    <div className={classes.columns}>
      {countOf(found) === 0 && isOver && <p className={classes.quiet}>{t.nothing(text)}</p>}
      {people !== null && <Incomplete people={people} />}
      {people !== null && <PeopleHits people={people} />}
      {tokens !== null && <TokenHits tokens={tokens} />}
      {transactions !== null && <TransactionHits transactions={transactions} />}
    </div>
  );
}

/** @returns the pages and acts of which a word begins with the text, in either language */
function usePagesNamed(text: string): readonly ConsolePage[] {
  const sought = text.toLowerCase();
  const isNamed = ({ title }: ConsolePage): boolean =>
    [title.en, title.de].some((one) => ` ${one.title.toLowerCase()}`.includes(` ${sought}`));
  const pages = useContext(PagesContext);
  return sought === '' ? [] : pages.filter((page) => !page.path.includes(':') && isNamed(page));
}

function PageHits({ pages }: { readonly pages: readonly ConsolePage[] }): ReactNode {
  const t = useTexts(helpdeskTexts);
  const language = useLanguage();
  return (
    <HitSection title={t.pages} isEmpty={pages.length === 0} hasMore={false}>
      {pages.map(({ path, title }) => (
        <li key={path} className={classes.hit}>
          <Anchor href={`#${path}`}>{title[language].title}</Anchor>
        </li>
      ))}
    </HitSection>
  );
}

/** The resolvers that have not answered. */
function Incomplete({
  people: { incomplete },
}: {
  readonly people: NonNullable<Found['people']>;
}): ReactNode {
  const t = useTexts(helpdeskTexts);
  return (
    incomplete.length > 0 && (
      <Alert color="yellow" title={t.incomplete}>
        {incomplete.map(({ resolver, reason }) => (
          <div key={resolver}>{reason}</div>
        ))}
      </Alert>
    )
  );
}

interface SectionProps {
  readonly title: string;
  readonly isEmpty: boolean;
  readonly hasMore: boolean;
  readonly children: ReactNode;
}

function HitSection({ title, isEmpty, hasMore, children }: SectionProps): ReactNode {
  const t = useTexts(helpdeskTexts);
  return (
    !isEmpty && (
      <section className={classes.section} aria-label={title}>
        <h2>{title}</h2>
        <ul className={classes.hits}>{children}</ul>
        {hasMore && <p className={classes.quiet}>{t.more}</p>}
      </section>
    )
  );
}

function PeopleHits({ people }: { readonly people: NonNullable<Found['people']> }): ReactNode {
  const t = useTexts(helpdeskTexts);
  return (
    <HitSection title={t.people} isEmpty={people.hits.length === 0} hasMore={people.has_more}>
      {people.hits.map((person) => (
        <PersonRow key={`${person.resolver} ${person.login}`} person={person} />
      ))}
    </HitSection>
  );
}

function PersonRow({ person }: { readonly person: PersonHit }): ReactNode {
  const t = useTexts(helpdeskTexts);
  const address = personPage(person, useSession());
  const { login: user, given_name: givenName, surname, email, realms, has_locked_token: isLocked } = person;
  return (
    <li className={classes.hit}>
      {address === undefined ? <strong>{user}</strong> : <Anchor href={`#${address}`}>{user}</Anchor>}
      <span>{[givenName, surname].filter((name) => name !== '').join(' ')}</span>
      <span>{email}</span>
      {isLocked && (
        <Badge className={classes.badge ?? ''} variant="light" color="red">
          {t.lockedToken}
        </Badge>
      )}
      <span className={classes.quiet}>{realms.join(', ')}</span>
    </li>
  );
}

function TokenHits({ tokens }: { readonly tokens: NonNullable<Found['tokens']> }): ReactNode {
  const t = useTexts(helpdeskTexts);
  return (
    <HitSection title={t.tokens} isEmpty={tokens.hits.length === 0} hasMore={tokens.has_more}>
      {tokens.hits.map((token) => (
        <li key={token.serial} className={classes.hit}>
          <Anchor href={`#${tokenAddress(token.serial)}`}>{token.serial}</Anchor>
          <span>{token.owner?.login ?? t.nobody}</span>
          <span>{token.description}</span>
          <TokenBadge token={token} />
        </li>
      ))}
    </HitSection>
  );
}

function TransactionHits({
  transactions,
}: {
  readonly transactions: NonNullable<Found['transactions']>;
}): ReactNode {
  const t = useTexts(helpdeskTexts);
  return (
    <HitSection title={t.transactions} isEmpty={transactions.length === 0} hasMore={false}>
      {transactions.map(({ transaction_id: id, serial, state }) => (
        <li key={id} className={classes.hit}>
          <Anchor href={`#${transactionAddress(id)}`}>{id}</Anchor>
          <span>{serial}</span>
          <TransactionBadge state={state} />
        </li>
      ))}
    </HitSection>
  );
}
