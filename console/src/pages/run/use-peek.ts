import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

/** How long a person stays at a record before the URL has it: browsers bound how often it changes. */
const pauseMs = 200;

/** The record that is shown beside the list. */
export function usePeek() {
  const { record } = route.useSearch();
  const navigate = route.useNavigate();
  const [id, show] = useState(record);
  const written = useRef(record);
  // Back and forward change the record, too.
  useEffect(() => {
    if (record !== written.current) show(record);
    written.current = record;
  }, [record]);
  useEffect(() => {
    if (id === written.current) return;
    const timer = setTimeout(() => {
      written.current = id;
      void navigate({
        search: (before) => ({ ...before, record: id }),
        replace: true,
        resetScroll: false,
      });
    }, pauseMs);
    return () => clearTimeout(timer);
  }, [id, navigate]);
  return { id, show };
}
