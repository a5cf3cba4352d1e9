-- The sums behind two reports: what was sold of each product, and what was due or paid on each account. Loaders of the two
-- tables wait from here until the migration commits; readers do not.

-- A month has as many sums as there are products, and under a filter by unit as many for each unit: so there are sums of
-- all units besides, and whoever asks without that filter reads a fraction. Texts are cut: an index entry is limited, and
-- a loader must not fail over a report. (A filter has at most 64 characters.) To Postgres NaN is greater than infinity, so
-- what is null, NaN or infinite adds nothing: it would stay in a sum for ever.
SELECT keep_rollup('vendas_produto', rollup, keys, '{quantidade, valor_total, quantidade_profissional, valor_profissional}',
	$$SELECT id, coalesce(data_hora, '-infinity') AS at,
	(coalesce(data_hora, '-infinity') AT TIME ZONE 'America/Sao_Paulo')::date AS day,
	left(estabelecimento_id, 200) AS estabelecimento_id, origem,
	left(produto_id, 200) AS produto_id, left(produto_nome, 200) AS produto_nome,
	CASE WHEN taken THEN 0 ELSE quantity END AS quantidade,
	CASE WHEN taken THEN 0 ELSE worth END AS valor_total,
	CASE WHEN taken THEN quantity ELSE 0 END AS quantidade_profissional,
	CASE WHEN taken THEN worth ELSE 0 END AS valor_profissional
FROM ROWS CROSS JOIN LATERAL (
	SELECT forma_pagamento IS NOT DISTINCT FROM 'Descontar do Profissional' AS taken,
		CASE WHEN abs(quantidade) < 'Infinity' THEN quantidade ELSE 0 END AS quantity,
		CASE WHEN abs(valor_total) < 'Infinity' THEN valor_total ELSE 0 END AS worth
) AS line$$)
FROM (VALUES
	('vendas_por_produto_rollup', '{origem, produto_id, produto_nome}'::text[]),
	('vendas_por_unidade_rollup', '{estabelecimento_id, origem, produto_id, produto_nome}')
) AS sums (rollup, keys);
--> statement-breakpoint
-- A range of months reads the entries of all units in the index that every sum has. (Whoever keeps this sum anew makes this
-- index anew.)
CREATE INDEX vendas_por_unidade_rollup_unit ON vendas_por_unidade_rollup (grain, estabelecimento_id, starts_on);
--> statement-breakpoint
-- The same of cost centres, whose sums are few enough to stand in one table: `dimension` tells those of a centre from those
-- of all. An account's name is whole, as the list is filtered by it; an index of the list has room for no longer one.
SELECT keep_rollup('pagamentos_erp', rollup, '{dimension, id_centro_custo, situacao, nome_conta_classificacao}', '{valor}', format(
	$$SELECT id, %1$I AS at, coalesce(%1$I, '-infinity') AS day,
	dimension, centre AS id_centro_custo, situacao, nome_conta_classificacao,
	CASE WHEN abs(valor) < 'Infinity' THEN valor ELSE 0 END AS valor
FROM ROWS CROSS JOIN LATERAL (VALUES ('all', NULL), ('centre', left(id_centro_custo, 200))) AS counted (dimension, centre)$$, date_column))
FROM (VALUES
	('pagamentos_por_vencimento_rollup', 'data_vencimento'),
	('pagamentos_por_pagamento_rollup', 'data_pagamento')
) AS sums (rollup, date_column);
