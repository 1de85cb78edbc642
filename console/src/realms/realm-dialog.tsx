import { ActionIcon, NativeSelect, Text, TextInput } from '@mantine/core';
import { skipToken, useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { call } from '../api/call.ts';
import { ConsequenceList } from '../consequences/consequence-list.tsx';
import { QueryFailure } from '../design/failure.tsx';
import { FormDialog } from '../design/form-dialog.tsx';
import { useDialogAct } from '../design/use-dialog-act.ts';
import { useTexts } from '../language/language.ts';
import { moved } from './order.ts';
import classes from './realm-dialog.module.css';
import type { ShownRealm } from './realm-queries.ts';
import { realmTexts } from './realm-texts.ts';

interface RealmDialogProps {
  /** The realm as it was read; undefined: a new one. */
  readonly realm: ShownRealm | undefined;
  /** The names of all resolvers. */
  readonly resolvers: readonly string[];
  readonly onClose: () => void;
}

/** Makes a realm, or changes its resolvers. Refused where somebody else has changed it since it was read. */
export function RealmDialog({ realm, resolvers, onClose }: RealmDialogProps): ReactNode {
  const t = useTexts(realmTexts);
  const [name, setName] = useState(realm?.name ?? '');
  const [ordered, setOrdered] = useState(realm?.resolvers);
  // The only resolver is the one that a new realm is made of; the list may come after the dialog.
  const chosen = ordered ?? (resolvers.length === 1 ? resolvers : []);
  const title = realm === undefined ? t.addTitle : t.editTitle(realm.name);
  const saving = useDialogAct({
    title,
    act: () =>
      realm === undefined
        ? call('/admin/realm/add', { name, resolvers: chosen.join(',') })
        : call('/admin/realm/set', {
            name,
            resolvers: chosen.join(','),
            expected: JSON.stringify(realm.resolvers),
          }),
    // A realm changes what else is there to be done and seen.
    changes: realm === undefined ? [] : ['realms'],
    onDone: onClose,
  });
  return (
    <FormDialog
      title={title}
      action={t.save}
      isRunning={saving.isPending}
      isDisabled={chosen.length === 0}
      reason={resolvers.length === 0 ? t.noResolvers : t.needsOne}
      error={saving.error}
      onSubmit={saving.run}
      onClose={onClose}
    >
      {realm === undefined && (
        <TextInput
          label={t.name}
          description={t.nameHint}
          required
          withAsterisk={false}
          value={name}
          onChange={(event) => {
            setName(event.currentTarget.value);
          }}
        />
      )}
      <ResolverOrder all={resolvers} chosen={chosen} onChange={setOrdered} />
      <Dropped realm={realm} chosen={chosen} />
    </FormDialog>
  );
}

interface OrderProps {
  readonly all: readonly string[];
  readonly chosen: readonly string[];
  readonly onChange: (chosen: readonly string[]) => void;
}

function ResolverOrder({ all, chosen, onChange }: OrderProps): ReactNode {
  const t = useTexts(realmTexts);
  const others = all.filter((one) => !chosen.includes(one));
  return (
    <div>
      <Text id="order">{t.order}</Text>
      <ol className={classes.order} aria-labelledby="order">
        {chosen.map((one, at) => (
          <li key={one} className={classes.place}>
            <span className={classes.name}>{one}</span>
            <ActionIcon
              variant="default"
              aria-label={t.up(one)}
              disabled={at === 0}
              onClick={() => {
                onChange(moved(chosen, one, -1));
              }}
            >
              ↑
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={t.down(one)}
              disabled={at === chosen.length - 1}
              onClick={() => {
                onChange(moved(chosen, one, 1));
              }}
            >
              ↓
            </ActionIcon>
            <ActionIcon
              variant="default"
              aria-label={t.leaveOut(one)}
              onClick={() => {
                onChange(chosen.filter((other) => other !== one));
              }}
            >
              ×
            </ActionIcon>
          </li>
        ))}
      </ol>
      {others.length > 0 && (
        <NativeSelect
          mt="sm"
          label={t.addResolver}
          value=""
          data={[{ value: '', label: t.choose }, ...others]}
          onChange={(event) => {
            onChange([...chosen, event.currentTarget.value]);
          }}
        />
      )}
    </div>
  );
}

/** The consequences where resolvers are left out. */
function Dropped({
  realm,
  chosen,
}: {
  readonly realm: ShownRealm | undefined;
  readonly chosen: readonly string[];
}): ReactNode {
  const isDropped = chosen.length > 0 && (realm?.resolvers ?? []).some((one) => !chosen.includes(one));
  const name = realm?.name ?? '';
  const foretold = useQuery({
    queryKey: ['consequences', 'realm-set', name, chosen],
    queryFn: isDropped
      ? ({ signal }) =>
          call('/admin/realm/set/consequences', { name, resolvers: chosen.join(',') }, { signal })
      : skipToken,
    gcTime: 0,
  });
  return (
    isDropped && (
      <>
        <QueryFailure query={foretold} />
        {foretold.data !== undefined && <ConsequenceList list={foretold.data} />}
      </>
    )
  );
}
