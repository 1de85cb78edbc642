import type { ReactNode } from 'react';
import classes from './card.module.css';

interface CardListProps {
  /** The subject of the list, read aloud. */
  readonly label: string;
  readonly children: ReactNode;
}

/** A list of things that have more to show than a row of a table has room for. */
export function CardList({ label, children }: CardListProps): ReactNode {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  );
}

interface CardProps {
  readonly title: ReactNode;
  readonly badges?: ReactNode;
  readonly actions?: ReactNode;
  readonly children?: ReactNode;
}

/** One thing of a list. */
export function Card({ title, badges, actions, children }: CardProps): ReactNode {
  return (
    <li className={classes.card}>
      <div className={classes.head}>
        <h2 className={classes.title}>{title}</h2>
        {badges}
      </div>
      {children}
      {actions !== undefined && <div className={classes.actions}>{actions}</div>}
    </li>
  );
}

/** Terms and what there is of each. @param facts those with `null` are left out */
export function Facts({
  facts,
}: {
  readonly facts: readonly (readonly [string, ReactNode] | null)[];
}): ReactNode {
  return (
    <dl className={classes.facts}>
      {facts.map(
        (fact) =>
          fact !== null && (
            <FactPair key={fact[0]} term={fact[0]}>
              {fact[1]}
            </FactPair>
          ),
      )}
    </dl>
  );
}

function FactPair({ term, children }: { readonly term: string; readonly children: ReactNode }): ReactNode {
  return (
    <>
      <dt>{term}</dt>
      <dd>{children}</dd>
    </>
  );
}
