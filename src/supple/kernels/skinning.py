"""Skinning: vertices and normals moved by the joints that influence them.

Park 2004, eqs. 11 and 12: v' = sum over i of w_i M_i d_i, where M_i d_i is the vertex as joint i alone
would carry it. Rows of work are blocks of vertices of one frame, numbered frame by frame, so that one
large frame and many small ones spread over threads equally. All inputs are read-only arrays: a
mesh's arrays are, and a second signature would be a second compilation.
"""

import math

from supple.kernels.decorators import entry

BLOCK_VERTICES = 256  # in a row of work; not tuned
NO_NORMALS = 0  # length of the array of normals if there are none


@entry("f3 i1 i1 f1 f2 f2 i i f3 f3")
def blend_range(matrices, first, joint, weight, positions, normals, row, last, out, out_normals):
    """Linear blend skinning of rows of work.

    The matrices are blended and then applied, which is the same sum with fewer operations for
    normals. Normals go by the cofactors of the blend, which is right for scales and mirrors too.

    Args:
        matrices: T_world_model of each joint, rows of 3x4, shape (B, J, 12).
        first: Index of the first influence of each vertex, shape (V + 1,).
        joint: Shape (W,).
        weight: Shape (W,).
        positions: Shape (V, 3).
        normals: Shape (V, 3), or (0, 3) for none.
        row: The first row of work.
        last: The row after the last.
        out: Out: positions, shape (B, V, 3).
        out_normals: Out: unit normals, shape (B, V, 3); (B, 0, 3) for none.
    """
    count = positions.shape[0]
    blocks = (count + BLOCK_VERTICES - 1) // BLOCK_VERTICES
    turning = normals.shape[0] > NO_NORMALS
    for r in range(row, last):
        b = r // blocks
        start = (r - b * blocks) * BLOCK_VERTICES
        frame = matrices[b]
        for v in range(start, min(start + BLOCK_VERTICES, count)):
            a = c = d = e = f = g = h = i = j = x0 = y0 = z0 = 0.0
            for k in range(first[v], first[v + 1]):
                w = weight[k]
                m = frame[joint[k]]
                a += w * m[0]
                c += w * m[1]
                d += w * m[2]
                x0 += w * m[3]
                e += w * m[4]
                f += w * m[5]
                g += w * m[6]
                y0 += w * m[7]
                h += w * m[8]
                i += w * m[9]
                j += w * m[10]
                z0 += w * m[11]
            x, y, z = positions[v, 0], positions[v, 1], positions[v, 2]
            out[b, v, 0] = a * x + c * y + d * z + x0
            out[b, v, 1] = e * x + f * y + g * z + y0
            out[b, v, 2] = h * x + i * y + j * z + z0
            if turning:
                x, y, z = normals[v, 0], normals[v, 1], normals[v, 2]
                p, q, s = f * j - g * i, g * h - e * j, e * i - f * h
                flip = 1.0 if a * p + c * q + d * s >= 0.0 else -1.0
                nx = flip * (p * x + q * y + s * z)
                ny = flip * ((d * i - c * j) * x + (a * j - d * h) * y + (c * h - a * i) * z)
                nz = flip * ((c * g - d * f) * x + (d * e - a * g) * y + (a * f - c * e) * z)
                size = math.sqrt(nx * nx + ny * ny + nz * nz)
                if size > 0.0:  # a joint scaled to zero leaves no normal
                    nx, ny, nz = nx / size, ny / size, nz / size
                else:
                    nx, ny, nz = x, y, z
                out_normals[b, v, 0] = nx
                out_normals[b, v, 1] = ny
                out_normals[b, v, 2] = nz


@entry("f3 f3 i1 i1 f1 f2 f2 i i f3 f3")
def dual_range(
    duals, stretches, first, joint, weight, positions, normals, row, last, out, out_normals
):
    """Dual-quaternion skinning of rows of work: volume is kept where a limb twists.

    Kavan, Collins, Zara and O'Sullivan 2008, sections 4 and 5: the scales of the joints are blended as
    matrices and applied first, then the rigid parts as dual quaternions, whose signs follow
    the vertex's heaviest influence.

    Args:
        duals: The rigid part of each joint's T_world_model: wxyz, then the dual part, shape
            (B, J, 8).
        stretches: The symmetric parts, rows of 3x3, applied before the rigid ones, shape
            (B, J, 9); (0, J, 9) if there are none.
        first: Index of the first influence of each vertex, shape (V + 1,).
        joint: Shape (W,).
        weight: Shape (W,).
        positions: Shape (V, 3).
        normals: Shape (V, 3), or (0, 3) for none.
        row: The first row of work.
        last: The row after the last.
        out: Out: positions, shape (B, V, 3).
        out_normals: Out: unit normals, shape (B, V, 3); (B, 0, 3) for none.
    """
    count = positions.shape[0]
    blocks = (count + BLOCK_VERTICES - 1) // BLOCK_VERTICES
    turning = normals.shape[0] > NO_NORMALS
    scaled = stretches.shape[0] > 0
    for r in range(row, last):
        b = r // blocks
        start = (r - b * blocks) * BLOCK_VERTICES
        frame = duals[b]
        for v in range(start, min(start + BLOCK_VERTICES, count)):
            heaviest, most = first[v], -1.0
            for k in range(first[v], first[v + 1]):
                if weight[k] > most:
                    heaviest, most = k, weight[k]
            lead = frame[joint[heaviest]]
            qw = qx = qy = qz = dw = dx = dy = dz = 0.0
            for k in range(first[v], first[v + 1]):
                u = frame[joint[k]]
                w = weight[k]
                if u[0] * lead[0] + u[1] * lead[1] + u[2] * lead[2] + u[3] * lead[3] < 0.0:
                    w = -w
                qw += w * u[0]
                qx += w * u[1]
                qy += w * u[2]
                qz += w * u[3]
                dw += w * u[4]
                dx += w * u[5]
                dy += w * u[6]
                dz += w * u[7]
            size = math.sqrt(qw * qw + qx * qx + qy * qy + qz * qz)
            if size > 0.0:
                qw, qx, qy, qz = qw / size, qx / size, qy / size, qz / size
                dw, dx, dy, dz = dw / size, dx / size, dy / size, dz / size
            else:  # opposite half turns cancel: take the heaviest influence
                qw, qx, qy, qz = lead[0], lead[1], lead[2], lead[3]
                dw, dx, dy, dz = lead[4], lead[5], lead[6], lead[7]
            x, y, z = positions[v, 0], positions[v, 1], positions[v, 2]
            nx = ny = nz = 0.0
            if turning:
                nx, ny, nz = normals[v, 0], normals[v, 1], normals[v, 2]
            if scaled:
                a = c = d = e = f = g = h = i = j = 0.0
                for k in range(first[v], first[v + 1]):
                    m = stretches[b, joint[k]]
                    w = weight[k]
                    a += w * m[0]
                    c += w * m[1]
                    d += w * m[2]
                    e += w * m[3]
                    f += w * m[4]
                    g += w * m[5]
                    h += w * m[6]
                    i += w * m[7]
                    j += w * m[8]
                x, y, z = a * x + c * y + d * z, e * x + f * y + g * z, h * x + i * y + j * z
                if turning:
                    p, q, s = f * j - g * i, g * h - e * j, e * i - f * h
                    flip = 1.0 if a * p + c * q + d * s >= 0.0 else -1.0
                    tx = flip * (p * nx + q * ny + s * nz)
                    ty = flip * ((d * i - c * j) * nx + (a * j - d * h) * ny + (c * h - a * i) * nz)
                    tz = flip * ((c * g - d * f) * nx + (d * e - a * g) * ny + (a * f - c * e) * nz)
                    size = math.sqrt(tx * tx + ty * ty + tz * tz)
                    if size > 0.0:
                        nx, ny, nz = tx / size, ty / size, tz / size
            # v + 2 u x (u x v + w v) + 2 (w d - dw u + u x d): rotate, then translate.
            tx = qy * z - qz * y + qw * x
            ty = qz * x - qx * z + qw * y
            tz = qx * y - qy * x + qw * z
            out[b, v, 0] = x + 2.0 * (qy * tz - qz * ty + qw * dx - dw * qx + qy * dz - qz * dy)
            out[b, v, 1] = y + 2.0 * (qz * tx - qx * tz + qw * dy - dw * qy + qz * dx - qx * dz)
            out[b, v, 2] = z + 2.0 * (qx * ty - qy * tx + qw * dz - dw * qz + qx * dy - qy * dx)
            if turning:
                tx = qy * nz - qz * ny + qw * nx
                ty = qz * nx - qx * nz + qw * ny
                tz = qx * ny - qy * nx + qw * nz
                out_normals[b, v, 0] = nx + 2.0 * (qy * tz - qz * ty)
                out_normals[b, v, 1] = ny + 2.0 * (qz * tx - qx * tz)
                out_normals[b, v, 2] = nz + 2.0 * (qx * ty - qy * tx)
