import type { ReactNode } from 'react';
import { useFormat } from '../language/format.ts';
import { useTexts } from '../language/language.ts';
import classes from './live-status.module.css';
import { liveTexts } from './live-texts.ts';
import type { ShownOverview } from './use-overview.ts';

/** True if the shown numbers are the present ones; read aloud when that changes. */
export function LiveStatus({ connection, since }: Pick<ShownOverview, 'connection' | 'since'>): ReactNode {
  const t = useTexts(liveTexts);
  const format = useFormat();
  const time = format.time(new Date(since === 0 ? Date.now() : since).toISOString());
  return (
    <p className={classes.status} role="status" data-connection={connection}>
      {connection === 'live' && t.live}
      {connection === 'connecting' && t.connecting}
      {connection === 'lost' && t.lost(time)}
      {connection === 'unavailable' && t.unavailable(time)}
    </p>
  );
}
