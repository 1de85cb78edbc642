import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { ValueOf } from '../api/call.ts';
import { useTexts } from '../language/language.ts';
import { explainTexts } from './explain-texts.ts';
import classes from './policies.module.css';

type Verdict = ValueOf<'/admin/policy/explain'>['rights'][number]['policies'][number];

/** The policies that apply, and after them the others with what is in their way. */
export function Reasons({ policies }: { readonly policies: readonly Verdict[] }): ReactNode {
  const t = useTexts(explainTexts);
  const sorted = policies.toSorted((one, other) => Number(other.applies) - Number(one.applies));
  return (
    sorted.length > 0 && (
      <ul className={classes.why}>
        {sorted.map(({ policy: name, applies, obstacles }) => (
          <li key={name}>
            {applies ? t.by : t.butFor}{' '}
            <Anchor component={Link} underline="always" href={`/policies/edit/${encodeURIComponent(name)}`}>
              {name}
            </Anchor>
            {obstacles.length > 0 &&
              `: ${obstacles.map(({ kind, text }) => t.obstacles[kind] ?? text).join('; ')}`}
          </li>
        ))}
      </ul>
    )
  );
}
