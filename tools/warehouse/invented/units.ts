import { PRODUCTS_PER_UNIT, PROFESSIONALS, person, product, SALONS, STORES } from "./words.ts";

const { id, name, price } = product("i", "e.salon_id::bigint");

/**
 * Units, professionals, card fees and catalogue: all small tables in one statement. Deliberate faults: some
 * professionals lack mapping data, and one store is closed.
 */
export const units = `
insert into estabelecimentos (nome, salon_id, erp_id, erp_centro_custo_id, ativo, created_at)
select case when i <= ${SALONS} then 'Salão ' else 'Loja ' end
    || (array['Jardins','Moema','Pinheiros','Tatuapé','Santana','Águas Claras','Centro','Norte Shopping','Lapa','Itaim','Savassi'])[i],
  case when i <= ${SALONS} then 100 + i else 194 + i end::text,
  case when i <= ${SALONS} then 'ERP-' || i end,
  case when i <= ${SALONS} then 7000 + i end,
  i <> 11, pg_temp.now_() - interval '4 years'
from generate_series(1, ${SALONS + STORES}) i;

insert into estabelecimentos (nome, erp_id, erp_centro_custo_id, created_at)
values ('Escritório', 'ERP-0', 7000, pg_temp.now_() - interval '4 years');

insert into profissionais (nome, salon_id, salon_estabelecimento_id, erp_centro_custo_id, erp_unidade_negocio_id, cpf, ativo, created_at, updated_at)
select ${person("i", "pro")},
  case when pg_temp.r(i, 'salon') < 0.96 then (5000 + i)::text end,
  case when pg_temp.r(i, 'unit') < 0.97 then (101 + i % ${SALONS})::text end,
  case when pg_temp.r(i, 'cost') < 0.9 then (80000 + i)::text end,
  case when pg_temp.r(i, 'cost') < 0.9 then 'UN-' || (1 + i % ${SALONS}) end,
  case when pg_temp.r(i, 'cpf') < 0.92 then lpad(floor(pg_temp.r(i, 'digits') * 1e9)::bigint::text, 11, '0') end,
  pg_temp.r(i, 'active') < 0.88, pg_temp.now_() - interval '3 years', pg_temp.now_() - pg_temp.r(i, 'touched') * interval '300 days'
from generate_series(1::bigint, ${PROFESSIONALS}) i;

insert into taxas_cartao (forma_pagamento, taxa_cobrada_profissional)
values ('Cartão de Débito', 0.0149), ('Cartão de Crédito', 0.0299), ('Crédito Parcelado', 0.0399);

insert into produtos (salon_id, estabelecimento_id, nome, raw_data, synced_at)
select ${id}, e.salon_id, ${name},
  jsonb_build_object('id', i, 'unidade', e.salon_id, 'preco', ${price},
    'estoque', floor(pg_temp.r(i * 100 + e.id, 'stock') * 40), 'codigoBarras', lpad((i * 7919)::text, 13, '7'), 'ativo', true),
  date_trunc('week', pg_temp.now_() + interval '19 hours') - interval '1 day' + interval '5 hours' + e.id * interval '40 seconds'
from estabelecimentos e, generate_series(1::bigint, ${PRODUCTS_PER_UNIT}) i
where e.salon_id is not null;
`;
