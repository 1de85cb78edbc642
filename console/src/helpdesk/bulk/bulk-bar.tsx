import { Button } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import { useStandingDialog } from '../../design/dialog.tsx';
import { useFormat } from '../../language/format.ts';
import { useTexts } from '../../language/language.ts';
import { useSession } from '../../session/session.tsx';
import classes from '../helpdesk.module.css';
import { BulkDialog } from './bulk-dialog.tsx';
import { BULK_ACTS, type BulkAct, isDangerous } from './bulk-foresight.ts';
import { bulkTexts } from './bulk-texts.ts';
import type { Collect } from './collect.ts';

/** The rows of a table that were selected: some by hand, or all that match. */
interface Selected {
  readonly keys: ReadonlySet<string>;
  readonly isAll: boolean;
}

const NOTHING_SELECTED: Selected = { keys: new Set(), isAll: false };

/** What is selected in a table, and the ways to change it. */
export interface Selection {
  readonly selected: Selected;
  readonly onSelect: (selected: Selected) => void;
  /** Marks a row, or takes its mark away. */
  readonly onMark: (key: string, isMarked: boolean) => void;
  /** Forgets what was acted on, but nothing that was selected meanwhile. */
  readonly onDone: (done: Selected) => void;
}

/** @param place what the selection belongs to, such as filter and page: on another one nothing is selected */
export function useSelection(place: string): Selection {
  const [kept, setKept] = useState({ place, selected: NOTHING_SELECTED });
  const selected = kept.place === place ? kept.selected : NOTHING_SELECTED;
  const onSelect = (changed: Selected): void => {
    setKept({ place, selected: changed });
  };
  return {
    selected,
    onSelect,
    onDone: (done) => {
      setKept((now) => (now.selected === done ? { place, selected: NOTHING_SELECTED } : now));
    },
    onMark: (key, isMarked) => {
      const others = [...selected.keys].filter((one) => one !== key);
      onSelect({ keys: new Set(isMarked ? [...others, key] : others), isAll: false });
    },
  };
}

/** @returns the acts on many tokens that the caller has a right to, in whatever realm */
export function useBulkActs(): readonly BulkAct[] {
  const session = useSession();
  return BULK_ACTS.filter((one) => session.may('admin', one));
}

interface BulkBarProps {
  readonly selection: Selection;
  /** The keys of the rows on the page. */
  readonly page: readonly string[];
  /** The number of all that match; undefined: not known. */
  readonly total: number | undefined;
  /** Reads the tokens of what is selected. */
  readonly collect: Collect;
  /** True while the rows are those of a former filter. */
  readonly isDisabled: boolean;
}

/** What is selected in a table, and the acts on it: what changes tokens, and apart from it what withdraws them. */
export function BulkBar({
  selection: { selected, onSelect, onDone },
  page,
  total,
  collect,
  isDisabled,
}: BulkBarProps): ReactNode {
  const t = useTexts(bulkTexts);
  const format = useFormat();
  const acts = useBulkActs();
  const all = total === undefined ? undefined : format.number(total);
  const words = selected.isAll ? t.allSelected(all) : t.selected(format.number(selected.keys.size));
  const isEmpty = !selected.isAll && selected.keys.size === 0;
  if (acts.length === 0) {
    return null;
  }
  const choice = (name: string, chosen: Selected): ReactNode => (
    <Button
      size="xs"
      variant="default"
      disabled={isDisabled}
      onClick={() => {
        onSelect(chosen);
      }}
    >
      {name}
    </Button>
  );
  return (
    <div className={classes.actions} role="group" aria-label={words}>
      <span role="status">{words}</span>
      {choice(t.page, { keys: new Set([...selected.keys, ...page]), isAll: false })}
      {choice(t.matching(all), { keys: new Set(page), isAll: true })}
      {!isEmpty && choice(t.clear, NOTHING_SELECTED)}
      {!isEmpty &&
        [false, true].map((isDanger) => (
          <div key={String(isDanger)} className={classes.bulkActs}>
            {acts
              .filter((one) => isDangerous(one) === isDanger)
              .map((act) => (
                <ActButton
                  key={act}
                  act={act}
                  collect={collect}
                  isDisabled={isDisabled}
                  onDone={() => {
                    onDone(selected);
                  }}
                />
              ))}
          </div>
        ))}
    </div>
  );
}

interface ActButtonProps extends Pick<BulkBarProps, 'collect' | 'isDisabled'> {
  readonly act: BulkAct;
  readonly onDone: () => void;
}

function ActButton({ act, collect, isDisabled, onDone }: ActButtonProps): ReactNode {
  const t = useTexts(bulkTexts);
  const stand = useStandingDialog();
  return (
    <Button
      size="xs"
      variant="light"
      color={isDangerous(act) ? 'red' : 'blue'}
      disabled={isDisabled}
      onClick={() => {
        stand(({ onClose }) => <BulkDialog act={act} collect={collect} onDone={onDone} onClose={onClose} />);
      }}
    >
      {t.acts[act]}
    </Button>
  );
}
