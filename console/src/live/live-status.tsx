import type { ReactNode } from 'react';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import classes from './live-status.module.css';
import type { LiveState } from './live-state.ts';
import { liveTexts } from './live-texts.ts';

/** True if the shown numbers are the present ones; read aloud when that changes. */
export function LiveStatus({ connection, since }: Pick<LiveState, 'connection' | 'since'>): ReactNode {
  const t = useTexts(liveTexts);
  const format = useFormat();
  const time = since === undefined ? '' : format.time(new Date(since).toISOString());
  return (
    <p className={classes.status} role="status" data-connection={connection}>
      {connection === 'live' && t.live}
      {connection === 'connecting' && t.connecting}
      {connection === 'lost' && t.lost(time)}
      {connection === 'unavailable' && t.unavailable(time)}
    </p>
  );
}
