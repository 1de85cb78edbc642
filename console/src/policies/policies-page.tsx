import { Anchor, Badge, Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { call, type ValueOf } from '../api/call.ts';
import { DialogBoundary } from '../design/dialog.tsx';
import { Folded } from '../design/folded.tsx';
import { Loaded } from '../design/loaded.tsx';
import { Page } from '../design/page.tsx';
import { RecordTable } from '../design/record-table.tsx';
import { useTexts } from '../language/language.ts';
import { useSession } from '../session/session.tsx';
import { ChangeDialog, type PolicyChange } from './change-dialog.tsx';
import classes from './policies.module.css';
import { isChosen, type PolicyFilter, type StoredPolicy } from './policy-draft.ts';
import { ChangeButtons } from './change-buttons.tsx';
import { policyTexts } from './policy-texts.ts';

const NO_FILTER: PolicyFilter = { text: '', scope: '', realm: '', state: '' };

/** The policies, with filters and their quick changes. */
export default function PoliciesPage(): ReactNode {
  const t = useTexts(policyTexts);
  const mayWrite = useSession().may('system', 'write');
  const [filter, setFilter] = useState(NO_FILTER);
  const [change, setChange] = useState<PolicyChange>();
  const close = (): void => {
    setChange(undefined);
  };
  const policies = useQuery({
    queryKey: ['policies'],
    queryFn: ({ signal }) => call('/admin/policy/list', {}, { signal }),
  });
  const actions = (
    <>
      <Button component={Link} href="/policies/explain" variant="default">
        {t.explain}
      </Button>
      {mayWrite && (
        <Button component={Link} href="/policies/new">
          {t.create}
        </Button>
      )}
    </>
  );
  return (
    <Page title={t.title} lead={t.lead} actions={actions}>
      <Loaded query={policies}>
        {(found) => (
          <>
            <Filters filter={filter} setFilter={setFilter} policies={found} />
            <PolicyTable
              policies={Object.values(found).filter((policy) => isChosen(policy, filter))}
              isEmpty={Object.keys(found).length === 0}
              onChange={mayWrite ? setChange : undefined}
            />
          </>
        )}
      </Loaded>
      {change !== undefined && (
        <DialogBoundary onClose={close}>
          <ChangeDialog key={`${change.kind} ${change.policy.name}`} change={change} onClose={close} />
        </DialogBoundary>
      )}
    </Page>
  );
}

function Filters({
  filter,
  setFilter,
  policies,
}: {
  readonly filter: PolicyFilter;
  readonly setFilter: (filter: PolicyFilter) => void;
  readonly policies: ValueOf<'/admin/policy/list'>;
}): ReactNode {
  const t = useTexts(policyTexts);
  const scopes = [...new Set(policies.map(({ scope }) => scope))].sort();
  const realms = [...new Set(policies.flatMap(({ realm }) => realm.split(',')).map((name) => name.trim()))];
  const named = realms.filter((name) => name !== '' && name !== '*').sort();
  return (
    <Folded label={t.filters}>
      <search className={classes.filters}>
        <TextInput
          type="search"
          label={t.search}
          value={filter.text}
          onChange={(event) => {
            setFilter({ ...filter, text: event.currentTarget.value });
          }}
        />
        <NativeSelect
          label={t.fields.scope}
          value={filter.scope}
          data={[{ value: '', label: t.allScopes }, ...scopes]}
          onChange={(event) => {
            setFilter({ ...filter, scope: event.currentTarget.value });
          }}
        />
        <NativeSelect
          label={t.fields.realm}
          value={filter.realm}
          data={[
            { value: '', label: t.allRealms },
            ...named.map((name) => ({ value: name.toLowerCase(), label: name })),
          ]}
          onChange={(event) => {
            setFilter({ ...filter, realm: event.currentTarget.value });
          }}
        />
        <NativeSelect
          label={t.state}
          value={filter.state}
          data={[
            { value: '', label: t.anyState },
            { value: 'active', label: t.active },
            { value: 'inactive', label: t.inactive },
          ]}
          onChange={(event) => {
            setFilter({ ...filter, state: event.currentTarget.value as PolicyFilter['state'] });
          }}
        />
      </search>
    </Folded>
  );
}

function PolicyTable({
  policies,
  isEmpty,
  onChange,
}: {
  readonly policies: readonly StoredPolicy[];
  readonly isEmpty: boolean;
  readonly onChange: ((change: PolicyChange) => void) | undefined;
}): ReactNode {
  const t = useTexts(policyTexts);
  if (policies.length === 0) {
    return <p>{isEmpty ? t.none : t.noneChosen}</p>;
  }
  return (
    <RecordTable
      label={t.title}
      columns={[
        [t.fields.name, ({ name }) => <PolicyLink name={name} />],
        [t.state, ({ active }) => <StateBadge isActive={active} />],
        [t.fields.scope, ({ scope }) => <span className={classes.whole}>{scope}</span>],
        [t.fields.action, ({ action }) => cell(action)],
        [t.fields.realm, ({ realm }) => cell(realm)],
        [t.fields.user, ({ user }) => cell(user)],
        [
          `${t.fields.client}, ${t.fields.time}`,
          ({ client, time }) => cell([client, time].filter((text) => text !== '').join('; ')),
        ],
        onChange === undefined
          ? null
          : [t.acts, (policy) => <ChangeButtons policy={policy} onChange={onChange} />],
      ]}
      rows={policies}
      keyOf={({ name }) => name}
    />
  );
}

/** @returns nothing for an empty text, so that a narrow window leaves the cell out */
function cell(text: string): ReactNode {
  return text === '' ? null : <span className={classes.cell}>{text}</span>;
}

function PolicyLink({ name }: { readonly name: string }): ReactNode {
  return (
    <Anchor
      className={classes.cell}
      component={Link}
      underline="always"
      href={`/policies/edit/${encodeURIComponent(name)}`}
    >
      {name}
    </Anchor>
  );
}

function StateBadge({ isActive }: { readonly isActive: boolean }): ReactNode {
  const t = useTexts(policyTexts);
  return (
    <Badge className={classes.whole} variant="light" color={isActive ? 'green' : 'gray'}>
      {isActive ? t.active : t.inactive}
    </Badge>
  );
}
